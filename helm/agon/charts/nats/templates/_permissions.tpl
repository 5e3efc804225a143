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
- agon.v1.evl.>
- agon.v1.evp.>
- $JS.API.STREAM.INFO.AGON_EVL
- $JS.API.STREAM.MSG.GET.AGON_EVL
- $JS.API.CONSUMER.CREATE.AGON_EVL.*.agon.v1.evl.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_EVL.*
- $JS.API.CONSUMER.DELETE.AGON_EVL.*
- $JS.API.STREAM.PURGE.AGON_EVL
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
- $JS.API.STREAM.PURGE.AGON_RES
- $JS.API.STREAM.MSG.DELETE.AGON_RES
- $JS.API.CONSUMER.INFO.AGON_JOB.*
- $JS.API.CONSUMER.MSG.NEXT.AGON_JOB.*
- agon.v1.evl.>
- agon.v1.evp.>
- $JS.API.STREAM.INFO.AGON_EVL
- $JS.API.STREAM.MSG.GET.AGON_EVL
- $JS.API.CONSUMER.CREATE.AGON_EVL.*.agon.v1.evl.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_EVL.*
- $JS.API.CONSUMER.DELETE.AGON_EVL.*
- $JS.ACK.AGON_JOB.*.*.*.*.*.*
- $JS.ACK.*.*.AGON_JOB.*.*.*.*.*.*
- $JS.API.STREAM.MSG.GET.AGON_RES
- $JS.API.CONSUMER.INFO.AGON_GEN.*
- $JS.API.CONSUMER.CREATE.AGON_GEN.*.agon.v1.gen.>
{{- /* the queues of external participants */}}
{{- range $urgency := list "p0" "p1" "p2" }}
- $JS.API.CONSUMER.INFO.AGON_GEN.gen-external-b23b84-{{ $urgency }}
- $JS.API.CONSUMER.CREATE.AGON_GEN.gen-external-b23b84-{{ $urgency }}.agon.v1.gen.external-b23b84.{{ $urgency }}.>
- $JS.API.CONSUMER.MSG.NEXT.AGON_GEN.gen-external-b23b84-{{ $urgency }}
- $JS.ACK.AGON_GEN.gen-external-b23b84-{{ $urgency }}.*.*.*.*.*
- $JS.ACK.*.*.AGON_GEN.gen-external-b23b84-{{ $urgency }}.*.*.*.*.*
{{- end }}
{{- else if eq .role "host" }}
{{- /* in an account of its own, which finds JetStream's API under another name; $JS.API tells it so */}}
- agon.v1.res.>
- agon.v1.big.>
- agon.v1.tok.>
- agon.v1.hb.*
- agon.v1.key.*
- agon.v1.node.*
- $JS.API.STREAM.INFO.AGON_GEN
- $JS.ACK.AGON_GEN.*.*.*.*.*.*
- $JS.ACK.*.*.AGON_GEN.*.*.*.*.*.*
{{- range include "nats.lentApi" . | fromYamlArray }}
- agon.v1.js.{{ . }}
{{- end }}
{{- end }}
{{- if has .role (list "coordinator" "host") }}
{{- range include "nats.answers" . | fromYamlArray }}
- {{ . }}
{{- end }}
{{- end }}
{{- if has .role (list "gateway" "coordinator") }}
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

{{/* Where gateways and coordinators hear the answers of hosts, apart from those of the server. */}}
{{- define "nats.answers" -}}
{{- range list "gateway" "coordinator" "gateway-coordinator" "gateway-host" "coordinator-host" "gateway-coordinator-host" }}
- _INBOX_{{ . }}.$app.>
{{- end }}
{{- end -}}

{{/* What hosts may ask of JetStream. Takes shards. */}}
{{- define "nats.lentApi" -}}
- STREAM.INFO.AGON_RES
- STREAM.INFO.AGON_GEN
- STREAM.INFO.AGON_BIG
- STREAM.MSG.GET.AGON_RES
- STREAM.MSG.GET.AGON_BIG
- CONSUMER.INFO.AGON_GEN.*
- CONSUMER.MSG.NEXT.AGON_GEN.*
{{- range $shard := until (int .shards) }}
- STREAM.INFO.AGON_LOG_{{ $shard }}
- STREAM.MSG.GET.AGON_LOG_{{ $shard }}
{{- end }}
{{- end -}}

{{/* What hosts store and acknowledge, with an answer of the server. */}}
{{- define "nats.lentServices" -}}
- agon.v1.res.>
- agon.v1.big.>
- $JS.ACK.AGON_GEN.*.*.*.*.*.*
- $JS.ACK.*.*.AGON_GEN.*.*.*.*.*.*
{{- end -}}

{{/* What hosts say. */}}
{{- define "nats.saidByHosts" -}}
- agon.v1.hb.*
- agon.v1.key.*
- agon.v1.node.*
- agon.v1.tok.>
{{ include "nats.answers" . }}
{{- end -}}

{{/* What hosts hear. */}}
{{- define "nats.heardByHosts" -}}
- agon.v1.host.*.*
- agon.v1.ctl.*.*
- agon.v1.alive.*
{{- end -}}

{{/* What travels between an account and that of its hosts, on the account's side. */}}
{{- define "nats.lends" -}}
# what hosts may use of it, and what is heard of them
exports: [
  {{- $to := printf "accounts: [\"%s_HOSTS\"]" .name }}
  {{- range include "nats.lentApi" . | fromYamlArray }}
  { service: {{ printf "$JS.API.%s" . | quote }}, {{ if contains ".MSG.NEXT." . }}response_type: stream, {{ end }}{{ $to }} }
  {{- end }}
  {{- range include "nats.lentServices" . | fromYamlArray }}
  { service: {{ quote . }}, {{ $to }} }
  {{- end }}
  {{- range include "nats.heardByHosts" . | fromYamlArray }}
  { stream: {{ quote . }}, {{ $to }} }
  {{- end }}
]
imports: [
  {{- range include "nats.saidByHosts" . | fromYamlArray }}
  { stream: { account: "{{ $.name }}_HOSTS", subject: {{ quote . }} } }
  {{- end }}
]
{{- end -}}

{{/* The same on the side of the hosts. */}}
{{- define "nats.isLent" -}}
exports: [
  {{- range include "nats.saidByHosts" . | fromYamlArray }}
  { stream: {{ quote . }}, accounts: ["{{ $.name }}"] }
  {{- end }}
]
imports: [
  {{- range include "nats.lentApi" . | fromYamlArray }}
  { service: { account: "{{ $.name }}", subject: {{ printf "$JS.API.%s" . | quote }} }, to: {{ printf "agon.v1.js.%s" . | quote }} }
  {{- end }}
  {{- range include "nats.lentServices" . | fromYamlArray }}
  { service: { account: "{{ $.name }}", subject: {{ quote . }} } }
  {{- end }}
  {{- range include "nats.heardByHosts" . | fromYamlArray }}
  { stream: { account: "{{ $.name }}", subject: {{ quote . }} } }
  {{- end }}
]
{{- end -}}

{{/* Subjects that a role may listen to. */}}
{{- define "nats.subscribe" -}}
{{- if eq .role "gateway" }}
- agon.v1.ctl.*.*
- agon.v1.tok.>
- agon.v1.hb.*
- agon.v1.key.*
- agon.v1.alive.*
{{- else if eq .role "coordinator" }}
- agon.v1.node.*
- agon.v1.ready.*
- agon.v1.ctl.*.*
- agon.v1.hb.*
- agon.v1.key.*
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
  }
}
{{- end -}}
