import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { DESCRIPTION_VERSION } from '../../platform/version.ts'
import type { Operation } from '../operation.ts'
import { toSwagger } from './swagger-v1.ts'

/**
 * The reference page; `base` is the path of the root URL, without a slash at its end. No inline scripts, so that the
 * policy can refuse them.
 */
const referencePage = (base: string): string => `<!doctype html>
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

const startScript = (base: string): string => `SwaggerUIBundle({
  url: ${JSON.stringify(`${base}/openapi.json`)},
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
})
`

export interface ReferenceOptions {
  readonly operations: readonly Operation[]
  /** Whether to serve the page; the descriptions are always served. */
  readonly page: boolean
  rootUrl(): string
}

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The description of the API in its two forms, and a page to browse and try it that needs no other server. */
export function registerReference(app: FastifyInstance, options: ReferenceOptions): void {
  const openapi = once(() => openApiDocument(options.operations))
  const openapiText = once(async () => Buffer.from(`${JSON.stringify(await openapi())}\n`))
  const swaggerText = once(async () => Buffer.from(`${JSON.stringify(toSwagger(await openapi()))}\n`))
  for (const path of ['/openapi.json', '/openapi.v1.json'])
    app.get(path, async (_, reply) => sendFile(reply, 'application/json', await openapiText()))
  app.get('/swagger.v1.json', async (_, reply) => sendFile(reply, 'application/json', await swaggerText()))
  if (!options.page) return
  const base = (): string => new URL(options.rootUrl()).pathname.replace(/\/$/, '')
  for (const path of ['/swagger', '/api/v1/swagger'])
    app.get(path, (_, reply) => reply.redirect(`${options.rootUrl()}/api/swagger`, 303))
  app.get('/api/swagger', (_, reply) =>
    sendFile(
      reply.header('content-security-policy', POLICY),
      'text/html; charset=utf-8',
      Buffer.from(referencePage(base())),
    ),
  )
  app.get('/api/swagger/start.js', (_, reply) =>
    sendFile(reply, 'text/javascript; charset=utf-8', Buffer.from(startScript(base()))),
  )
  for (const [name, type] of Object.entries(ASSETS)) {
    app.get(`/api/swagger/${name}`, async (_, reply) =>
      sendFile(reply.header('cache-control', 'public, max-age=86400'), type, await readFile(join(assetFolder(), name))),
    )
  }
}

/** The content of `openapi/openapi.json` and of `/openapi.json`. */
export async function openApiDocument(operations: readonly Operation[]): Promise<Record<string, unknown>> {
  const { createOpenApi } = await import('../openapi/openapi.ts')
  return createOpenApi(operations, { version: DESCRIPTION_VERSION, serverUrl: '/api/v1' })
}

function sendFile(reply: FastifyReply, type: string, body: Buffer): FastifyReply {
  return reply.header('content-type', type).header('x-content-type-options', 'nosniff').send(body)
}

const assetFolder = once(() => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')))

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
