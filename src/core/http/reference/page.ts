/**
 * The reference page; `base` is the path of the root URL, without a slash at its end. No inline scripts, so that the
 * policy can refuse them.
 */
export const referencePage = (base: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ingot API reference</title>
<link rel="stylesheet" href="${base}/api/swagger/swagger-ui.css">
<link rel="icon" type="image/png" href="${base}/api/swagger/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<noscript>The API is described at <a href="${base}/openapi.json">openapi.json</a>.</noscript>
<script src="${base}/api/swagger/swagger-ui-bundle.js"></script>
<script src="${base}/api/swagger/start.js"></script>
</body>
</html>
`

export const startScript = (base: string): string => `SwaggerUIBundle({
  url: ${JSON.stringify(`${base}/openapi.json`)},
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
})
`
