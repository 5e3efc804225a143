{{/* agon.toml of each role, made of the values. docs/reference/configuration.md tells what each key means. */}}

{{/* One value as TOML. Numbers of values are floats, so whole ones are written as integers. */}}
{{- define "agon.toml.value" -}}
{{- if kindIs "map" . -}}
{{- $parts := list -}}
{{- range $key, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $parts = append $parts (printf "%s = %s" (include "agon.toml.key" $key) (include "agon.toml.value" $value)) -}}
{{- end -}}
{{- end -}}
{ {{ join ", " $parts }} }
{{- else if kindIs "slice" . -}}
{{- $parts := list -}}
{{- range . -}}{{- $parts = append $parts (include "agon.toml.value" .) -}}{{- end -}}
[{{ join ", " $parts }}]
{{- else if kindIs "string" . -}}
{{ toRawJson . }}
{{- else if kindIs "float64" . -}}
{{- if eq . (floor .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- else -}}
{{ . }}
{{- end -}}
{{- end -}}

{{- define "agon.toml.key" -}}
{{- if regexMatch "^[A-Za-z0-9_-]+$" . }}{{ . }}{{ else }}{{ toRawJson . }}{{ end -}}
{{- end -}}

{{/* A table's keys and values, one a line. */}}
{{- define "agon.toml.table" -}}
{{- range $key, $value := . }}
{{- if not (kindIs "invalid" $value) }}
{{ include "agon.toml.key" $key }} = {{ include "agon.toml.value" $value }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A whole file: `hosts` as blocks, `tools` as a table each, everything else as sections. */}}
{{- define "agon.toml" -}}
{{- range .hosts }}
[[hosts]]
{{- include "agon.toml.table" . }}
{{ end }}
{{- range $section, $table := omit . "hosts" "tools" }}
[{{ $section }}]
{{- include "agon.toml.table" $table }}
{{ end }}
{{- range $tool, $table := .tools }}
[tools.{{ include "agon.toml.key" $tool }}]
{{- include "agon.toml.table" $table }}
{{ end }}
{{- end -}}

{{/* A whole file of a component, with its own further settings laid over it: they win, lists whole. Takes made and settings. */}}
{{- define "agon.toml.with" -}}
{{- include "agon.overlay" (list .made .settings) | fromYaml | include "agon.toml" -}}
{{- end -}}

{{/* The first of two maps with the second laid over it, as YAML; null takes a key away. The functions for it leave out what is false or 0. */}}
{{- define "agon.overlay" -}}
{{- $result := deepCopy (first .) -}}
{{- range $key, $value := last . -}}
{{- $old := get $result $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $old) -}}
{{- $value = include "agon.overlay" (list $old $value) | fromYaml -}}
{{- end -}}
{{- $_ := set $result $key $value -}}
{{- end -}}
{{- toYaml $result -}}
{{- end -}}

{{/* Values with the names that agon.toml has for them, as YAML; absent where empty. */}}
{{- define "agon.snake" -}}
{{- $result := dict -}}
{{- range $key, $value := . -}}
{{- if kindIs "map" $value -}}
{{- $_ := set $result (snakecase $key) (include "agon.snake" $value | fromYaml) -}}
{{- else if not (or (kindIs "invalid" $value) (and (kindIs "string" $value) (eq $value ""))) -}}
{{- $_ := set $result (snakecase $key) $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $result -}}
{{- end -}}

{{/* [nats] of a role. Takes root and role; of pools also user and key, where they have their own. */}}
{{- define "agon.settings.nats" -}}
{{- $values := .root.Values -}}
{{- $method := include "agon.nats.method" .root -}}
{{- $role := index $values.connection.auth.roles .role -}}
urls: {{ include "agon.nats.urls" .root }}
wait: {{ $values.connection.wait | quote }}
replicas: {{ $values.streams.replicas }}
shards: {{ $values.streams.shards }}
limits:
  {{- include "agon.snake" $values.streams.limits | nindent 2 }}
{{- if eq $method "password" }}
user: {{ default $role.user .user | quote }}
password: {file: /run/secrets/agon/nats/credential}
{{- else if eq $method "token" }}
token: {file: /run/secrets/agon/nats/credential}
{{- else if has $method (list "nkey" "creds") }}
{{ $method }}: /run/secrets/agon/nats/credential
{{- end }}
{{- if include "agon.nats.tls" .root }}
tls:
  require: true
  {{- if include "agon.nats.ca" .root }}
  ca: /run/secrets/agon/nats/ca.crt
  {{- end }}
  {{- if $values.connection.tls.clientSecret }}
  cert: /run/secrets/agon/nats/tls.crt
  key: /run/secrets/agon/nats/tls.key
  {{- end }}
{{- end }}
{{- end -}}

{{/* What every role of the cluster has. Takes root, role and drain; user as above. */}}
{{- define "agon.settings.common" -}}
{{- $values := .root.Values -}}
node:
  drain: {{ .drain | quote }}
nats:
  {{- include "agon.settings.nats" . | nindent 2 }}
{{- with $values.cluster.name }}
cluster:
  name: {{ . | quote }}
{{- end }}
coordinator:
  {{- omit $values.cluster "waitLimit" "name" | include "agon.snake" | nindent 2 }}
admin:
  listen: {{ printf "%s:9090" $values.listenAddress | quote }}
telemetry:
  {{- /* --set makes a text of a number with a point */}}
  {{- $shares := dict "sampling" (float64 $values.telemetry.sampling) "callSampling" (float64 $values.telemetry.callSampling) }}
  {{- merge $shares (omit $values.telemetry "otlpHeaders") | include "agon.snake" | nindent 2 }}
  {{- if and $values.telemetry.otlpEndpoint $values.telemetry.otlpHeaders }}
  otlp_headers:
    {{- range $header, $_ := $values.telemetry.otlpHeaders }}
    {{ $header }}: {file: {{ printf "/run/secrets/agon/otlp/%s" $header }}}
    {{- end }}
  {{- end }}
{{- end -}}

{{/* agon.toml of gateways. */}}
{{- define "agon.settings.gateway" -}}
{{- $gateway := .Values.gateway -}}
{{- $settings := include "agon.settings.common" (dict "root" . "role" "gateway" "drain" $gateway.drain) | fromYaml -}}
{{- $own := include "agon.settings.gateway.own" . | fromYaml -}}
{{- $more := dict "gateway" $own "retry" (include "agon.snake" .Values.retry | fromYaml) "runtime" (dict "wait_limit" .Values.cluster.waitLimit) -}}
{{- with $gateway.limits -}}{{- $_ := set $more "limits" (include "agon.snake" . | fromYaml) -}}{{- end -}}
{{- $console := dict "enabled" .Values.console.enabled -}}
{{- with .Values.console.traceUrl -}}{{- $_ := set $console "trace_url" . -}}{{- end -}}
{{- $_ := set $more "console" $console -}}
{{- include "agon.toml.with" (dict "made" (merge $more $settings) "settings" $gateway.settings) -}}
{{- end -}}

{{/* The names by which callers inside the cluster and through the ingresses know the gateway, beside those that it takes anyway. */}}
{{- define "agon.gateway.names" -}}
{{- $services := list (printf "%s-gateway" (include "agon.fullname" .)) -}}
{{- if .Values.gateway.service.headless -}}{{- $services = append $services (printf "%s-headless" (first $services)) -}}{{- end -}}
{{- $names := list -}}
{{- range $services -}}
{{- $name := printf "%s.%s" . $.Release.Namespace -}}
{{- $names = append (append $names $name) (printf "%s.svc.cluster.local" $name) -}}
{{- end -}}
{{- range .Values.gateway.ingress -}}
{{- if and .enabled .host -}}
{{- range include "agon.ingress.hosts" . | fromYamlArray -}}{{- $names = append $names .host -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range .Values.gateway.routes -}}
{{- if .enabled -}}{{- $names = concat $names .hostnames -}}{{- end -}}
{{- end -}}
{{- concat $names .Values.gateway.allowedHosts | uniq | toJson -}}
{{- end -}}

{{- define "agon.settings.gateway.own" -}}
{{- $gateway := .Values.gateway -}}
{{- $auth := $gateway.auth -}}
grpc: {{ printf "%s:50051" .Values.listenAddress | quote }}
http: {{ printf "%s:8080" .Values.listenAddress | quote }}
insecure: {{ ne (include "agon.gateway.auth" .) "true" }}
{{- if ne (include "agon.gateway.auth" .) "true" }}
allowed_hosts: {{ include "agon.gateway.names" . }}
{{- end }}
{{- with $gateway.allowedOrigins }}
allowed_origins: {{ toJson . }}
{{- end }}
max_queued: {{ $gateway.maxQueued }}
reflection: {{ $gateway.reflection }}
{{- if $gateway.tls.existingSecret }}
tls:
  cert: /run/secrets/agon/gateway/tls.crt
  key: /run/secrets/agon/gateway/tls.key
  {{- if $gateway.tls.clientCa.existingSecret }}
  client_ca: /run/secrets/agon/gateway/client-ca.crt
  client_required: {{ $gateway.tls.clientRequired }}
  {{- end }}
{{- end }}
{{- if include "agon.gateway.auth" . }}
auth:
  {{- if $auth.tokens.existingSecret }}
  tokens_file: /run/secrets/agon/gateway/tokens.txt
  {{- end }}
  {{- if $auth.jwt.enabled }}
  jwt:
    {{- omit $auth.jwt "enabled" "jwks" | include "agon.snake" | nindent 4 }}
    {{- if $auth.jwt.jwks.existingSecret }}
    jwks_file: /run/secrets/agon/gateway/jwks.json
    {{- end }}
  {{- end }}
  {{- if $auth.certificates.enabled }}
  certificates:
    {{- omit $auth.certificates "enabled" | include "agon.snake" | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* agon.toml of coordinators. */}}
{{- define "agon.settings.coordinator" -}}
{{- $coordinator := .Values.coordinator -}}
{{- $settings := include "agon.settings.common" (dict "root" . "role" "coordinator" "drain" $coordinator.drain) | fromYaml -}}
{{- $own := pick $coordinator "maxDebates" "tenantCap" | include "agon.snake" | fromYaml -}}
{{- $more := dict "coordinator" $own "breaker" (include "agon.snake" .Values.breaker | fromYaml) -}}
{{- include "agon.toml.with" (dict "made" (merge $more $settings) "settings" $coordinator.settings) -}}
{{- end -}}

{{/* agon.toml of a pool's hosts. Takes root and pool (its values). */}}
{{- define "agon.settings.host" -}}
{{- $pool := .pool -}}
{{- $common := dict "root" .root "role" "host" "drain" $pool.drain "user" $pool.nats.user -}}
{{- $settings := include "agon.settings.common" $common | fromYaml -}}
{{- $hosts := include "agon.servers" $pool | fromYamlArray -}}
{{- $own := dict "hosts" $hosts "tools" $pool.tools "host" (dict "discovery" $pool.discovery "wait" $pool.wait) -}}
{{- if and $pool.rehearsal $pool.latency -}}{{- $_ := set $own "rehearsal" (dict "latency" $pool.latency) -}}{{- end -}}
{{- $more := merge $own (dict "breaker" (include "agon.snake" .root.Values.breaker | fromYaml)) -}}
{{- include "agon.toml.with" (dict "made" (merge $more $settings) "settings" $pool.settings) -}}
{{- end -}}

{{/* The model servers of a pool, with the keys of [[hosts]]. */}}
{{- define "agon.servers" -}}
{{- $servers := list -}}
{{- if (.settings | default dict).hosts -}}
{{- $servers = .settings.hosts -}}
{{- else if eq .mode "sidecar" -}}
{{- $own := dict "name" "ollama" "url" "http://127.0.0.1:11434" "kind" "ollama" "models" .ollama.models "permits" .ollama.permits -}}
{{- if .ollama.numCtx -}}{{- $_ := set $own "num_ctx" .ollama.numCtx -}}{{- end -}}
{{- if .ollama.scheduling -}}{{- $_ := set $own "scheduling" .ollama.scheduling -}}{{- end -}}
{{- if .ollama.readAhead -}}{{- $_ := set $own "read_ahead" true -}}{{- end -}}
{{- $servers = append $servers $own -}}
{{- else -}}
{{- range .servers -}}
{{- $server := omit . "apiKey" | include "agon.snake" | fromYaml -}}
{{- if .apiKey -}}{{- $_ := set $server "api_key" (dict "file" (printf "/run/secrets/agon/hosts/%s" .name)) -}}{{- end -}}
{{- $servers = append $servers $server -}}
{{- end -}}
{{- end -}}
{{- toYaml $servers -}}
{{- end -}}

{{/* agon.toml of the job that sets up the streams. */}}
{{- define "agon.settings.provision" -}}
{{- $nats := include "agon.settings.nats" (dict "root" . "role" "provisioner") | fromYaml -}}
{{- $cluster := ternary (dict "cluster" (dict "name" .Values.cluster.name)) dict (ne .Values.cluster.name "") -}}
{{- include "agon.toml.with" (dict "made" (merge (dict "nats" $nats) $cluster) "settings" .Values.provision.settings) -}}
{{- end -}}
