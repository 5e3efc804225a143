{{/* What all pods of Agon have alike. */}}

{{/* Sources of the volume of secrets below /run/secrets/agon. Takes root and role; of pools also key and servers. */}}
{{- define "agon.secrets" -}}
{{- $values := .root.Values -}}
{{- $sources := list -}}
{{- if ne (include "agon.nats.method" .root) "none" -}}
{{- $key := default (index $values.connection.auth.roles .role).key .key -}}
{{- $sources = append $sources (list (include "agon.nats.secret" .root) $key "nats/credential") -}}
{{- end -}}
{{- if include "agon.nats.tls" .root -}}
{{- with include "agon.nats.ca" .root -}}
{{- $sources = append $sources (list . $values.connection.tls.ca.key "nats/ca.crt") -}}
{{- end -}}
{{- with $values.connection.tls.clientSecret -}}
{{- $sources = concat $sources (list (list . "tls.crt" "nats/tls.crt") (list . "tls.key" "nats/tls.key")) -}}
{{- end -}}
{{- end -}}
{{- if and $values.telemetry.otlpEndpoint (ne .role "provisioner") -}}
{{- range $header, $from := $values.telemetry.otlpHeaders -}}
{{- $sources = append $sources (list $from.existingSecret $from.key (printf "otlp/%s" $header)) -}}
{{- end -}}
{{- end -}}
{{- if eq .role "gateway" -}}
{{- $gateway := $values.gateway -}}
{{- with $gateway.auth.tokens -}}
{{- if .existingSecret -}}{{- $sources = append $sources (list .existingSecret .key "gateway/tokens.txt") -}}{{- end -}}
{{- end -}}
{{- if $gateway.auth.jwt.enabled -}}
{{- with $gateway.auth.jwt.jwks -}}
{{- if .existingSecret -}}{{- $sources = append $sources (list .existingSecret .key "gateway/jwks.json") -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with $gateway.tls.existingSecret -}}
{{- $sources = concat $sources (list (list . "tls.crt" "gateway/tls.crt") (list . "tls.key" "gateway/tls.key")) -}}
{{- end -}}
{{- with $gateway.tls.clientCa -}}
{{- if .existingSecret -}}{{- $sources = append $sources (list .existingSecret .key "gateway/client-ca.crt") -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range .servers -}}
{{- if .apiKey -}}{{- $sources = append $sources (list .apiKey.existingSecret .apiKey.key (printf "hosts/%s" .name)) -}}{{- end -}}
{{- end -}}
{{- range $sources }}
- secret:
    name: {{ index . 0 }}
    items:
      - key: {{ index . 1 }}
        path: {{ index . 2 }}
{{- end -}}
{{- end -}}

{{/* The volumes of settings and secrets. Takes config (name of the ConfigMap) and secrets (sources, as text). */}}
{{- define "agon.volumes" -}}
- name: config
  configMap:
    name: {{ .config }}
{{- with .secrets }}
- name: secrets
  projected:
    # 0440 and the group of the pod: no other user of the node may read them
    defaultMode: 288
    sources:
      {{- trim . | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "agon.mounts" -}}
- name: config
  mountPath: /etc/agon
  readOnly: true
{{- with .secrets }}
- name: secrets
  mountPath: /run/secrets/agon
  readOnly: true
{{- end }}
{{- end -}}

{{/* The fields of a pod's spec that do not depend on what runs in it. Takes root and name. */}}
{{- define "agon.pod.base" -}}
serviceAccountName: {{ include "agon.account" . }}
automountServiceAccountToken: false
# services become variables such as AGON_PORT otherwise
enableServiceLinks: false
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Where pods may run that come once: where coordinators may. */}}
{{- define "agon.pod.nodes" -}}
{{- with .Values.coordinator.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.coordinator.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Where pods may run. Takes values (of the component) and the selector's root, component and pool. */}}
{{- define "agon.pod.placement" -}}
{{- $selector := include "agon.selector" . | fromYaml -}}
{{- $spread := list -}}
{{- range .values.topologySpreadConstraints -}}
{{- $spread = append $spread (merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" $selector))) -}}
{{- end -}}
{{- if and (not $spread) (ne (default "" .values.mode) "daemonset") -}}
{{- $spread = list (dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" (dict "matchLabels" $selector)) -}}
{{- end -}}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $spread }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
The template of a role's pods. Takes root, name, component (gateway, coordinator, host), pool (its name), values, args, ports, toml,
secrets, start (seconds that a start may wait beside those for NATS), env, init and volumes (texts).
*/}}
{{- define "agon.pod" -}}
{{- $values := .values -}}
{{- $stop := int $values.preStopSeconds -}}
{{- $drain := include "agon.seconds" $values.drain | int -}}
{{- $start := add (include "agon.seconds" .root.Values.connection.wait | int) .start 30 -}}
metadata:
  labels:
    {{- include "agon.podLabels" . | nindent 4 }}
    agon/metrics: "true"
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ .toml | sha256sum }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "agon.pod.base" . | nindent 2 }}
  # before SIGTERM {{ $stop }} s, to hand over {{ $drain }} s, and 15 s in reserve, of which 5 for the last spans
  terminationGracePeriodSeconds: {{ add $stop $drain 15 }}
  {{- with include "agon.pod.placement" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if or $values.initContainers .init }}
  initContainers:
    {{- with $values.initContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with .init }}
    {{- . | nindent 4 }}
    {{- end }}
  {{- end }}
  containers:
    - name: agon
      image: {{ include "agon.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{ toRawJson .args }}
      {{- with concat (.env | default list) ($values.extraEnv | default list) }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        {{- range $name, $port := .ports }}
        - name: {{ $name }}
          containerPort: {{ $port }}
        {{- end }}
        - name: admin
          containerPort: 9090
      # a start may wait {{ $start }} s for NATS and model servers
      startupProbe:
        httpGet: {path: /healthz, port: admin}
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: {{ div (add $start 1) 2 }}
      livenessProbe:
        httpGet: {path: /healthz, port: admin}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: {path: /readyz, port: admin}
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      {{- if $stop }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ $stop }}
      {{- end }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        {{- toYaml .root.Values.securityContext | nindent 8 }}
      volumeMounts:
        {{- include "agon.mounts" . | nindent 8 }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "agon.volumes" (dict "config" .name "secrets" .secrets) | nindent 4 }}
    {{- with .volumes }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The account of a component's pods. */}}
{{- define "agon.account" -}}
{{- with .root.Values.serviceAccount -}}
{{- default (ternary $.name "default" .create) .name -}}
{{- end -}}
{{- end -}}

{{/* The account of a component, unless all have one. */}}
{{- define "agon.account.own" -}}
{{- with .root.Values.serviceAccount -}}
{{- if and .create (not .name) -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "agon.metadata" (dict "of" $ "name" $.name "annotations" .annotations) | nindent 2 }}
automountServiceAccountToken: false
---
{{ end -}}
{{- end -}}
{{- end -}}

{{/* The objects that every component has: service account, settings. Takes what the pod takes. */}}
{{- define "agon.base" -}}
{{- include "agon.account.own" . -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "agon.metadata" (dict "of" . "name" .name) | nindent 2 }}
data:
  agon.toml: |
    {{- .toml | trim | nindent 4 }}
{{- end -}}

{{- define "agon.pdb" -}}
{{- if .values.pdb.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "agon.metadata" (dict "of" . "name" .name) | nindent 2 }}
spec:
  maxUnavailable: {{ .values.pdb.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "agon.selector" . | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "agon.hpa" -}}
{{- with .values.hpa }}
{{- if .enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "agon.metadata" (dict "of" $ "name" $.name) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $.name }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .targetCPUUtilization }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A ScaledObject. Takes what the pod takes, and triggers: a list of query, threshold. */}}
{{- define "agon.keda" -}}
{{- if dig "keda" "enabled" false .values }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "agon.metadata" (dict "of" . "name" .name) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ .name }}
  minReplicaCount: {{ .values.keda.minReplicas }}
  maxReplicaCount: {{ .values.keda.maxReplicas }}
  pollingInterval: {{ .root.Values.keda.pollingInterval }}
  cooldownPeriod: {{ .root.Values.keda.cooldownPeriod }}
  triggers:
    {{- range .triggers }}
    - type: prometheus
      metadata:
        serverAddress: {{ $.root.Values.keda.prometheusAddress | quote }}
        query: {{ .query | quote }}
        threshold: {{ .threshold | quote }}
      {{- with $.root.Values.keda.authenticationRef }}
      authenticationRef:
        name: {{ . }}
      {{- end }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Labels that single out the series of this release. */}}
{{- define "agon.series" -}}
{{- default (printf "namespace=%q" .Release.Namespace) .Values.keda.seriesSelector -}}
{{- end -}}
