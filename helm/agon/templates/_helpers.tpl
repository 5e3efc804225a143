{{/* Names, labels and small conversions. */}}

{{- define "agon.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 40 characters, so that every suffix of a component still fits into a name of Kubernetes. */}}
{{- define "agon.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "agon.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "agon.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selects a component's pods. Takes root, component and, of hosts, pool. */}}
{{- define "agon.selector" -}}
app.kubernetes.io/name: {{ include "agon.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- with .pool }}
agon/pool: {{ . }}
{{- end }}
{{- end -}}

{{- define "agon.labels" -}}
{{ include "agon.podLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The metadata of an object. Takes of (what labels take), name, and of some objects more labels and annotations. */}}
{{- define "agon.metadata" -}}
name: {{ .name }}
namespace: {{ .of.root.Release.Namespace }}
labels:
  {{- include "agon.labels" .of | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (deepCopy (default dict .annotations)) .of.root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Labels of pods: without versions, so that a new chart alone replaces no pod. */}}
{{- define "agon.podLabels" -}}
{{ include "agon.selector" . }}
app.kubernetes.io/part-of: agon
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "agon.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* The names of the pools: one that is null is none, so that a pool of a values file can be taken away by --set. */}}
{{- define "agon.pools" -}}
{{- $names := list -}}
{{- range $name, $pool := .Values.hosts.pools -}}
{{- if not (kindIs "invalid" $pool) -}}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* A pool with everything that it does not say taken from hosts.defaults. Takes root and name. */}}
{{- define "agon.pool" -}}
{{- $own := index .root.Values.hosts.pools .name | default dict -}}
{{- mergeOverwrite (deepCopy .root.Values.hosts.defaults) (deepCopy $own) | toYaml -}}
{{- end -}}

{{/* Whole seconds of a length of time, rounded up: 10s, 1m30s, 250ms, 2h or a number. */}}
{{- define "agon.seconds" -}}
{{- $text := toString . -}}
{{- $sum := 0.0 -}}
{{- if regexMatch "^[0-9.]+$" $text -}}
{{- $sum = float64 $text -}}
{{- else -}}
{{- range regexFindAll "[0-9.]+[a-z]+" $text -1 -}}
{{- $number := regexFind "^[0-9.]+" . | float64 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf $number (index (dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 "d" 86400.0) $unit)) -}}
{{- end -}}
{{- end -}}
{{- ceil $sum | int -}}
{{- end -}}

{{/* The port of an address. Takes url and default. */}}
{{- define "agon.port" -}}
{{- $host := (urlParse .url).host -}}
{{- $port := regexFind ":[0-9]+$" $host | trimPrefix ":" -}}
{{- default (toString .default) $port -}}
{{- end -}}

{{/* How the roles prove who they are to NATS. */}}
{{- define "agon.nats.method" -}}
{{- if and .Values.nats.enabled (dig "auth" "enabled" false .Values.nats) -}}password{{- else -}}{{ .Values.connection.auth.method }}{{- end -}}
{{- end -}}

{{- define "agon.nats.secret" -}}
{{- default (ternary (dig "auth" "existingSecret" "" .Values.nats) "" .Values.nats.enabled) .Values.connection.auth.existingSecret -}}
{{- end -}}

{{- define "agon.nats.tls" -}}
{{- if or .Values.connection.tls.enabled (and .Values.nats.enabled (dig "tls" "enabled" false .Values.nats)) -}}true{{- end -}}
{{- end -}}

{{/* The secret with the authority of NATS' certificate; empty: the image's authorities. */}}
{{- define "agon.nats.ca" -}}
{{- $own := ternary (dig "tls" "existingSecret" "" .Values.nats) "" (and .Values.nats.enabled (dig "tls" "enabled" false .Values.nats)) -}}
{{- default $own .Values.connection.tls.ca.existingSecret -}}
{{- end -}}

{{- define "agon.nats.urls" -}}
{{- if or .Values.connection.urls (not .Values.nats.enabled) -}}
{{- toRawJson .Values.connection.urls -}}
{{- else -}}
{{- $scheme := ternary "tls" "nats" (eq (include "agon.nats.tls" .) "true") -}}
{{- list (printf "%s://%s.%s.svc:4222" $scheme (include "nats.fullname" .) .Release.Namespace) | toRawJson -}}
{{- end -}}
{{- end -}}

{{/* Whether callers of the gateway have to prove who they are. */}}
{{- define "agon.gateway.auth" -}}
{{- $auth := .Values.gateway.auth -}}
{{- if or $auth.tokens.existingSecret $auth.jwt.enabled $auth.certificates.enabled -}}true{{- end -}}
{{- end -}}

{{/* The hosts of an ingress, each with host, paths and tlsSecret. */}}
{{- define "agon.ingress.hosts" -}}
{{- $hosts := list -}}
{{- range prepend .extraHosts (pick . "host" "tlsSecret") -}}
{{- $hosts = append $hosts (merge (dict "paths" (default $.paths .paths)) . (dict "tlsSecret" "")) -}}
{{- end -}}
{{- toYaml $hosts -}}
{{- end -}}

{{/* Whether the gateway can be reached from outside the cluster. */}}
{{- define "agon.gateway.exposed" -}}
{{- $exposed := ne .Values.gateway.service.type "ClusterIP" -}}
{{- range concat (values .Values.gateway.ingress) (values .Values.gateway.routes) -}}
{{- if .enabled -}}{{- $exposed = true -}}{{- end -}}
{{- end -}}
{{- if $exposed -}}true{{- end -}}
{{- end -}}

{{/* Whether the test can be run: it needs a token where the gateway asks for one. */}}
{{- define "agon.testable" -}}
{{- if and .Values.tests.enabled (or (ne (include "agon.gateway.auth" .) "true") .Values.tests.token.existingSecret) -}}true{{- end -}}
{{- end -}}
