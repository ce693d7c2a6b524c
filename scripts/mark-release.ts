/**
 * Keeps the schema and the statements of this release in `test/upgrade/previous`, for the test that the next release must
 * leave them usable (`test/upgrade/upgrade.test.ts`).
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { migrationProvider } from '../migrations/index.ts'
import { INGOT_VERSION } from '../src/core/platform/version.ts'

const HELP = `usage: node scripts/mark-release.ts [--help]

Run it in the commit of a release, and commit what it writes into test/upgrade/previous:
  release.json          version, commit (HEAD) and names of the migrations
  schema.*.sql          copies of migrations/schema.*.sql
  statements.sql        what test/db/sql has, which npm run sql records
From then on test/upgrade/upgrade.test.ts compares every migration with this release, and test/upgrade/release-before.test.ts runs
its server on the schema of the newest one.`

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'test/upgrade/previous')

async function mark(): Promise<void> {
  const migrations = Object.keys(await migrationProvider('sqlite').getMigrations())
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const recorded = readdirSync(join(root, 'test/db/sql')).toSorted()
  const statements = recorded.flatMap((file) => readFileSync(join(root, 'test/db/sql', file), 'utf8').split('\n'))
  const files: Readonly<Record<string, string>> = {
    'release.json': `${JSON.stringify({ version: INGOT_VERSION, commit, migrations }, null, 2)}\n`,
    'schema.sqlite.sql': readFileSync(join(root, 'migrations/schema.sqlite.sql'), 'utf8'),
    'schema.postgres.sql': readFileSync(join(root, 'migrations/schema.postgres.sql'), 'utf8'),
    'statements.sql': `${[...new Set(statements.filter((line) => line !== '' && !line.startsWith('--')))].join('\n')}\n`,
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  console.log(`test/upgrade/previous is now ${INGOT_VERSION}`)
}

const [argument] = process.argv.slice(2)
if (argument === undefined) await mark()
else {
  const isHelp = argument === '--help'
  ;(isHelp ? console.log : console.error)(HELP)
  process.exitCode = isHelp ? 0 : 2
}
