import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasProgram } from '../harness/gpg.ts'
import { startServer, type TestServer } from '../harness/server.ts'

const run = promisify(execFile)
const text = readFileSync('docs/guide/issues.md', 'utf8')
const blocks = [...text.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block]) => block)
const scopes = [...text.slice(0, text.indexOf('```')).matchAll(/`((?:read|write):\w+)`/g)].map(([, scope]) => scope!)

/** `jq` is no dependency: the machine has it or not. */
describe.skipIf(!hasProgram('jq', '--version') || !hasProgram('curl', '--version'))(
  'the walk of docs/guide/issues.md',
  () => {
    let server: TestServer
    let dir: string
    beforeAll(async () => {
      server = await startServer()
      dir = await mkdtemp(join(tmpdir(), 'ingot-walk-'))
    })
    afterAll(async () => {
      await server.close()
      await rm(dir, { recursive: true, force: true })
    })

    it('does what its text says', async () => {
      const ann = await server.world.user('ann')
      const token = await ann.token(...scopes)
      const env = { ...process.env, URL: server.url, OWNER: 'ann', TOKEN: token, GIT_TERMINAL_PROMPT: '0' }
      const script = `set -euo pipefail\n${blocks.join('\n')}`
      let isDone = false
      const drainAll = async (): Promise<void> => {
        for (; !isDone; await sleep(200)) await server.drain()
      }
      const ran = run('bash', ['-c', script], { cwd: dir, env }).finally(() => (isDone = true))
      const [{ stdout }] = await Promise.all([ran, drainAll()])
      const lines = stdout.trim().split('\n')
      expect(lines).toContain('priority/high')
      expect(lines).not.toContain('priority/low')
      expect(lines).toContain('2031-02-01T23:59:59Z')
      expect(lines.filter((line) => line === 'Snails in the beds').length).toBeGreaterThan(1)
      expect(lines).toContain('ann/garden')
      expect(stdout).toContain('refused while #2 is open')
      expect(lines.slice(-12)).toEqual(expect.arrayContaining(['commit_ref', 'close']))
    })
  },
)
