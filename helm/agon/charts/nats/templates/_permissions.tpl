{{/*
What each role may do, as `agon nats config` prints it and `agon serve` tries it at its start; a test keeps them alike.
*/}}

{{/* Subjects that a role may send to. Takes role and shards. */}}
{{- define "nats.publish" -}}
{{- if eq .role "provisioner" }}
- $JS.API.STREAM.INFO.*
- $JS.API.STREAM.CREATE.*
- $JS.API.STREAM.UPDATE.*
- $JS.API.CONSUMER.INFO.AGON_JOB.*
- $JS.API.CONSUMER.CREATE.AGON_JOB.*.agon.v1.job.>
{{- else if eq .role "gateway" }}
- agon.v1.log.>
- agon.v1.big.>
- agon.v1.job.>
- agon.v1.cmd.>
- agon.v1.req.>
- agon.v1.idx.>
- agon.v1.ready.*
- agon.v1.node.*
- agon.v1.host.*.*
- $JS.API.STREAM.INFO.AGON_RES
- $JS.API.STREAM.INFO.AGON_CMD
- $JS.API.STREAM.INFO.AGON_JOB
- $JS.API.STREAM.INFO.AGON_REQ
- $JS.API.STREAM.INFO.AGON_IDX
- $JS.API.STREAM.MSG.GET.AGON_CMD
- $JS.API.STREAM.MSG.GET.AGON_REQ
- $JS.API.STREAM.MSG.GET.AGON_IDX
- $JS.API.CONSUMER.CREATE.AGON_IDX.*.agon.v1.idx.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_IDX.*
- $JS.API.CONSUMER.INFO.AGON_IDX.*
- $JS.API.STREAM.INFO.AGON_GEN
- $JS.API.STREAM.MSG.GET.AGON_GEN
- $JS.API.STREAM.PURGE.AGON_RES
- $JS.API.STREAM.PURGE.AGON_CMD
- $JS.API.STREAM.PURGE.AGON_JOB
- $JS.API.STREAM.PURGE.AGON_IDX
- $JS.API.STREAM.PURGE.AGON_BIG
{{- else if eq .role "coordinator" }}
- agon.v1.log.>
- agon.v1.res.>
- agon.v1.big.>
- agon.v1.gen.>
- agon.v1.job.>
- agon.v1.idx.>
- agon.v1.ctl.*.*
- agon.v1.ready.*
- agon.v1.node.*
- agon.v1.alive.*
- agon.v1.host.*.*
- agon.v1.seat.*.*.*
- $JS.API.STREAM.INFO.AGON_RES
- $JS.API.STREAM.INFO.AGON_CMD
- $JS.API.STREAM.INFO.AGON_JOB
- $JS.API.STREAM.INFO.AGON_IDX
- $JS.API.STREAM.INFO.AGON_GEN
- $JS.API.STREAM.MSG.GET.AGON_CMD
- $JS.API.STREAM.MSG.GET.AGON_IDX
- $JS.API.CONSUMER.CREATE.AGON_IDX.*.agon.v1.idx.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_IDX.*
- $JS.API.CONSUMER.INFO.AGON_IDX.*
- $JS.API.STREAM.PURGE.AGON_IDX
- $JS.API.CONSUMER.INFO.AGON_JOB.*
- $JS.API.CONSUMER.MSG.NEXT.AGON_JOB.*
- $JS.ACK.AGON_JOB.>
- $JS.ACK.*.*.AGON_JOB.>
- $JS.API.STREAM.MSG.GET.AGON_RES
{{- /* the queues of external participants */}}
{{- range $urgency := list "p0" "p1" "p2" }}
- $JS.API.CONSUMER.INFO.AGON_GEN.gen-external-b23b84-{{ $urgency }}
- $JS.API.CONSUMER.CREATE.AGON_GEN.gen-external-b23b84-{{ $urgency }}.agon.v1.gen.external-b23b84.{{ $urgency }}.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_GEN.gen-external-b23b84-{{ $urgency }}
- $JS.ACK.AGON_GEN.gen-external-b23b84-{{ $urgency }}.>
- $JS.ACK.*.*.AGON_GEN.gen-external-b23b84-{{ $urgency }}.>
{{- end }}
{{- else if eq .role "host" }}
- agon.v1.res.>
- agon.v1.big.>
- agon.v1.tok.>
- agon.v1.hb.*
- agon.v1.node.*
- $JS.API.STREAM.INFO.AGON_RES
- $JS.API.STREAM.INFO.AGON_GEN
- $JS.API.STREAM.MSG.GET.AGON_RES
- $JS.API.CONSUMER.INFO.AGON_GEN.*
- $JS.API.CONSUMER.CREATE.AGON_GEN.*.agon.v1.gen.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_GEN.*
- $JS.ACK.AGON_GEN.*.>
- $JS.ACK.*.*.AGON_GEN.*.>
{{- end }}
{{- if ne .role "provisioner" }}
- $JS.API.STREAM.INFO.AGON_BIG
- $JS.API.STREAM.MSG.GET.AGON_BIG
{{- range $shard := until (int .shards) }}
- $JS.API.STREAM.INFO.AGON_LOG_{{ $shard }}
- $JS.API.STREAM.MSG.GET.AGON_LOG_{{ $shard }}
- $JS.API.CONSUMER.CREATE.AGON_LOG_{{ $shard }}.*.agon.v1.log.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_LOG_{{ $shard }}.*
- $JS.API.CONSUMER.DELETE.AGON_LOG_{{ $shard }}.*
{{- if eq $.role "gateway" }}
- $JS.API.STREAM.PURGE.AGON_LOG_{{ $shard }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Subjects that a role may listen to. */}}
{{- define "nats.subscribe" -}}
{{- if eq .role "gateway" }}
- agon.v1.ctl.*.*
- agon.v1.tok.>
- agon.v1.hb.*
- agon.v1.alive.*
{{- else if eq .role "coordinator" }}
- agon.v1.node.*
- agon.v1.ready.*
- agon.v1.ctl.*.*
- agon.v1.hb.*
- agon.v1.alive.*
- agon.v1.host.*.*
{{- else if eq .role "host" }}
- agon.v1.host.*.*
- agon.v1.ctl.*.*
- agon.v1.hb.*
- agon.v1.alive.*
{{- end }}
- _INBOX_{{ .role }}.>
{{- end -}}

{{/* The user of a role. Takes role, account. */}}
{{- define "nats.user" -}}
{
  user: {{ printf "%s%s" .account.userPrefix .role | quote }}
  password: ${{ .account.variable }}_{{ upper .role }}_PASSWORD
  permissions: {
    publish: {
      allow: [
        {{- range include "nats.publish" (dict "role" .role "shards" .account.shards) | fromYamlArray }}
        {{ quote . }}
        {{- end }}
      ]
    }
    subscribe: {
      allow: [
        {{- range include "nats.subscribe" (dict "role" .role) | fromYamlArray }}
        {{ quote . }}
        {{- end }}
      ]
    }
    {{- if has .role (list "coordinator" "host") }}
    # answers offers
    allow_responses: true
    {{- end }}
  }
}
{{- end -}}
