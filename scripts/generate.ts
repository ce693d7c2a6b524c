/**
 * Writes the files that are made from the code: `openapi/openapi.json`, `config.example.toml`,
 * `docs/behaviour/errors.md` and `docs/design/events.md`. With `--check` it writes nothing and fails when one of them is stale.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { App } from '../src/app/create-app.ts'
import { createApp } from '../src/app/modules.ts'
import { exampleConfig, loadConfig } from '../src/core/config/index.ts'
import { openApiDocument } from '../src/core/http/reference/reference.ts'
import { errorCatalog } from './error-catalog.ts'
import { eventCatalog } from './event-catalog.ts'

const root = resolve(import.meta.dirname, '..')

/** Of a server over an empty data directory that never listens. */
async function filesOfServer(): Promise<Readonly<Record<string, string>>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ingot-generate-'))
  let app: App | undefined
  try {
    app = await createApp(
      loadConfig({ flags: { data_dir: dataDir, 'log.level': 'silent', 'search.code_enabled': 'true' } }),
    )
    return {
      'openapi/openapi.json': `${JSON.stringify(await openApiDocument(app.operations), null, 1)}\n`,
      'docs/design/events.md': eventCatalog(app.modules),
    }
  } finally {
    await app?.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function current(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const check = process.argv.includes('--check')
const files = {
  'config.example.toml': exampleConfig(),
  'docs/behaviour/errors.md': errorCatalog(),
  ...(await filesOfServer()),
}
for (const [name, text] of Object.entries(files)) {
  const path = join(root, name)
  if (text === current(path)) continue
  if (check) {
    console.error(`${name} is stale: run npm run generate and commit it`)
    process.exitCode = 1
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`wrote ${name}`)
  }
}
