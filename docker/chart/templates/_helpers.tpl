{{/* The name of everything: the release's, which says the chart's name once. */}}
{{- define "mind-memory.name" -}}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- $whole | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "mind-memory.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mind-memory.labels" -}}
{{ include "mind-memory.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{/* Names by which callers without a key may address the service, as JSON. */}}
{{- define "mind-memory.hosts" -}}
{{- $name := include "mind-memory.name" . -}}
{{- $space := printf "%s.%s" $name .Release.Namespace -}}
{{- $ours := list $name $space (printf "%s.svc" $space) (printf "%s.svc.cluster.local" $space) -}}
{{- concat $ours .Values.access.allowedHosts | toJson -}}
{{- end }}

{{/* Whether minds are in a database; empty if not. */}}
{{- define "mind-memory.shared" -}}
{{- if or .Values.database.url .Values.database.existingSecret }}yes{{ end }}
{{- end }}

{{/* A look at the service: both pages answer whoever asks, by whatever name and without a key. */}}
{{- define "mind-memory.look" -}}
httpGet:
  path: {{ .path }}
  port: http
timeoutSeconds: 5
{{ toYaml .times }}
{{- end }}

{{- define "mind-memory.locked" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* A value as a variable has it: text as it is, everything else as JSON, since 1000000 would become 1e+06. */}}
{{- define "mind-memory.text" -}}
{{- kindIs "string" . | ternary . (toJson .) -}}
{{- end }}

{{/* What the containers of the service find in their environment. What is named here wins over what a Secret says. */}}
{{- define "mind-memory.environment" -}}
env:
  - {name: MIND_MEMORY_HOME, value: /data}
  - {name: MIND_MEMORY_HOST, value: 0.0.0.0}
  - {name: MIND_MEMORY_PORT, value: "8001"}
  - {name: MIND_MEMORY_TRUST_NETWORK, value: {{ .Values.access.trustNetwork | quote }}}
  - {name: MIND_MEMORY_ACCESS__ALLOWED_HOSTS, value: {{ include "mind-memory.hosts" . | squote }}}
  {{- if .Values.falkordb.enabled }}
  - {name: FALKORDB_URL, value: {{ printf "redis://%s-falkordb:6379" (include "mind-memory.name" .) | quote }}}
  {{- else if .Values.falkordb.existingSecret }}
  - name: FALKORDB_URL
    valueFrom: {secretKeyRef: {name: {{ .Values.falkordb.existingSecret | quote }}, key: FALKORDB_URL}}
  {{- else }}
  - {name: FALKORDB_URL, value: {{ .Values.falkordb.url | quote }}}
  {{- end }}
  {{- if .Values.database.existingSecret }}
  - name: MIND_MEMORY_DATABASE
    valueFrom: {secretKeyRef: {name: {{ .Values.database.existingSecret | quote }}, key: MIND_MEMORY_DATABASE}}
  {{- else if .Values.database.url }}
  - {name: MIND_MEMORY_DATABASE, value: {{ .Values.database.url | quote }}}
  {{- end }}
  {{- range $variable, $value := .Values.settings }}
  - {name: {{ $variable }}, value: {{ include "mind-memory.text" $value | quote }}}
  {{- end }}
{{- if or .Values.secrets .Values.existingSecret }}
envFrom:
  {{- with .Values.existingSecret }}
  - secretRef: {name: {{ . | quote }}}
  {{- end }}
  {{- if .Values.secrets }}
  - secretRef: {name: {{ include "mind-memory.name" . }}}
  {{- end }}
{{- end }}
{{- end }}
