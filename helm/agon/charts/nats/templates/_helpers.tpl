{{- define "nats.fullname" -}}
{{- printf "%s-nats" (.Release.Name | trunc 45 | trimSuffix "-") -}}
{{- end -}}

{{- define "nats.selector" -}}
app.kubernetes.io/name: nats
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "nats.labels" -}}
{{ include "nats.podLabels" . }}
app.kubernetes.io/version: {{ default .Chart.AppVersion .Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The metadata of an object. Takes of (the context), name, and of some objects annotations. */}}
{{- define "nats.metadata" -}}
name: {{ .name }}
namespace: {{ .of.Release.Namespace }}
labels:
  {{- include "nats.labels" .of | nindent 2 }}
{{- with merge (deepCopy (default dict .annotations)) .of.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Labels of pods: without versions, so that a new chart alone replaces no server. */}}
{{- define "nats.podLabels" -}}
{{ include "nats.selector" . }}
app.kubernetes.io/component: nats
app.kubernetes.io/part-of: agon
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "nats.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* All accounts, the first of them that of this release's roles. Each with name, userPrefix, existingSecret, shards, variable. */}}
{{- define "nats.accounts" -}}
{{- $auth := .Values.auth -}}
{{- $accounts := list (dict "name" $auth.account "userPrefix" "" "existingSecret" $auth.existingSecret "shards" $auth.shards "variable" "AGON_NATS") -}}
{{- range $auth.extraAccounts -}}
{{- $variable := printf "AGON_NATS_%s" (regexReplaceAll "[^A-Za-z0-9]" .name "_" | upper) -}}
{{- $accounts = append $accounts (merge (dict "variable" $variable) . (dict "shards" 1)) -}}
{{- end -}}
{{- toYaml $accounts -}}
{{- end -}}

{{/* One server's address for the others. Takes root, at, credentials. */}}
{{- define "nats.route" -}}
{{- $name := include "nats.fullname" .root -}}
nats://{{ .credentials }}{{ $name }}-{{ .at }}.{{ $name }}-headless.{{ .root.Release.Namespace }}.svc:6222
{{- end -}}
