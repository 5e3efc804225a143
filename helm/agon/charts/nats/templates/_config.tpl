{{/* The configuration of nats-server. Names of servers, passwords and routes come from the environment. */}}
{{- define "nats.config" -}}
server_name: $POD_NAME
listen: "0.0.0.0:4222"
http: "0.0.0.0:8222"
pid_file: "/run/nats/nats.pid"
max_connections: {{ int .Values.maxConnections }}
# at the end clients are sent to the other servers first
lame_duck_grace_period: "5s"
lame_duck_duration: "30s"
{{- if .Values.tls.enabled }}

tls {
  cert_file: "/etc/nats/tls/tls.crt"
  key_file: "/etc/nats/tls/tls.key"
  ca_file: "/etc/nats/tls/ca.crt"
  verify: {{ .Values.tls.verify }}
  timeout: 5
}
{{- end }}

jetstream {
  store_dir: "/data"
  max_file_store: {{ .Values.jetstream.maxFileStore }}
  max_memory_store: {{ .Values.jetstream.maxMemoryStore }}
  sync_interval: {{ .Values.jetstream.syncInterval | quote }}
}
{{- if gt (int .Values.replicas) 1 }}

cluster {
  name: {{ include "nats.fullname" . | quote }}
  listen: "0.0.0.0:6222"
  # clients come by the service's name, which is what certificates are made for
  no_advertise: true
  # with the password of the route, so whole addresses come from the environment
  routes: [
    {{- range $at := until (int .Values.replicas) }}
    $AGON_NATS_ROUTE_{{ $at }}
    {{- end }}
  ]
  {{- if .Values.auth.enabled }}
  authorization {
    user: route
    password: $AGON_NATS_ROUTE_PASSWORD
  }
  {{- end }}
  {{- if .Values.tls.enabled }}
  tls {
    cert_file: "/etc/nats/tls/tls.crt"
    key_file: "/etc/nats/tls/tls.key"
    ca_file: "/etc/nats/tls/ca.crt"
    timeout: 5
  }
  {{- end }}
}
{{- end }}
{{- if .Values.auth.enabled }}

accounts {
  {{- range $at, $account := include "nats.accounts" . | fromYamlArray }}
  {{ $account.name }} {
    jetstream: enabled
    users: [
      {{- range $role := list "provisioner" "gateway" "coordinator" }}
      {{- include "nats.user" (dict "role" $role "account" $account) | nindent 6 }}
      {{- end }}
      {{- if eq $at 0 }}
      {{- with $.Values.auth.extraUsers }}
      {{- . | trim | nindent 6 }}
      {{- end }}
      {{- end }}
    ]
    {{- include "nats.lends" $account | nindent 4 }}
  }
  # hosts have an account of their own: what they ask for cannot be answered into the streams' account
  {{ $account.name }}_HOSTS {
    users: [
      {{- include "nats.user" (dict "role" "host" "account" $account) | nindent 6 }}
      {{- if eq $at 0 }}
      {{- with $.Values.auth.extraHosts }}
      {{- . | trim | nindent 6 }}
      {{- end }}
      {{- end }}
    ]
    {{- include "nats.isLent" $account | nindent 4 }}
  }
  {{- end }}
  # for operators: what the servers themselves say
  SYS {
    users: [
      { user: sys, password: $AGON_NATS_SYS_PASSWORD }
    ]
  }
}
system_account: SYS
{{- else if ne .Values.auth.account "$G" }}

# nobody is asked who he is; the streams are where they stay when users are told apart later
accounts {
  {{ .Values.auth.account }} {
    jetstream: enabled
    users: [
      { user: everybody, password: everybody }
    ]
  }
}
no_auth_user: everybody
{{- end }}
{{- end -}}

{{/* The environment of the container: what the configuration takes from it. */}}
{{- define "nats.env" -}}
- name: POD_NAME
  valueFrom:
    fieldRef: {fieldPath: metadata.name}
{{- $several := gt (int .Values.replicas) 1 }}
{{- $credentials := "" }}
{{- if .Values.auth.enabled }}
{{- range $account := include "nats.accounts" . | fromYamlArray }}
{{- range $role := list "provisioner" "gateway" "coordinator" "host" }}
- name: {{ $account.variable }}_{{ upper $role }}_PASSWORD
  valueFrom:
    secretKeyRef: {name: {{ $account.existingSecret }}, key: {{ $role }}}
{{- end }}
{{- end }}
- name: AGON_NATS_SYS_PASSWORD
  valueFrom:
    secretKeyRef: {name: {{ .Values.auth.existingSecret }}, key: sys}
{{- if $several }}
{{- $credentials = "route:$(AGON_NATS_ROUTE_PASSWORD)@" }}
- name: AGON_NATS_ROUTE_PASSWORD
  valueFrom:
    secretKeyRef: {name: {{ .Values.auth.existingSecret }}, key: route}
{{- end }}
{{- with .Values.auth.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- if $several }}
{{- range $at := until (int .Values.replicas) }}
- name: AGON_NATS_ROUTE_{{ $at }}
  value: {{ include "nats.route" (dict "root" $ "at" $at "credentials" $credentials) | quote | squote }}
{{- end }}
{{- end }}
{{- end -}}
