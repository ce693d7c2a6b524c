/**
 * Writes the files that are made from the code: `openapi/openapi.json` and `config.example.toml`. With `--check` it
 * writes nothing and fails when one of them is stale.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createApp } from '../src/app/modules.ts'
import { exampleConfig, loadConfig } from '../src/core/config/index.ts'
import { openApiDocument } from '../src/core/http/reference/reference.ts'

const root = resolve(import.meta.dirname, '..')

const files: Readonly<Record<string, () => Promise<string>>> = {
  'config.example.toml': async () => exampleConfig(),
  'openapi/openapi.json': async () => `${JSON.stringify(await describeApi(), null, 1)}\n`,
}

/** Operations come from a server over an empty data directory that never listens. */
async function describeApi(): Promise<unknown> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ingot-generate-'))
  const app = await createApp(loadConfig({ flags: { data_dir: dataDir, 'log.level': 'silent' } }))
  try {
    return await openApiDocument(app.operations)
  } finally {
    await app.close()
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
for (const [name, make] of Object.entries(files)) {
  const path = join(root, name)
  const text = await make()
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
