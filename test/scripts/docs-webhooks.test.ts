import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHookWorld, type HookWorld } from '../delivery/hooks/hook-world.ts'

const SECRET = 'a lóng "secret" $HOME'

/** The programs of docs/guide/webhooks.md by the name after the language, such as `verify.py`. */
const programs = new Map(
  [...readFileSync('docs/guide/webhooks.md', 'utf8').matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, name, text]) => [name!, text!] as const,
  ),
)

const CALL_NODE = `
const [{ isAuthentic }, { readFileSync }] = await Promise.all([import('./verify.mjs'), import('node:fs')])
process.exitCode = isAuthentic(readFileSync(process.argv[2]), process.argv[3], process.argv[4]) ? 0 : 1
`
const CALL_PYTHON = `
import sys
from verify import is_authentic
sys.exit(0 if is_authentic(open(sys.argv[1], "rb").read(), sys.argv[2], sys.argv[3]) else 1)
`

describe('the verification of docs/guide/webhooks.md', () => {
  let world: HookWorld
  let dir: string
  let [body, signature] = ['', '']
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-verify-'))
    for (const [name, text] of programs) writeFileSync(join(dir, name), text)
    writeFileSync(join(dir, 'call.mjs'), CALL_NODE)
    writeFileSync(join(dir, 'call.py'), CALL_PYTHON)
    world = await createHookWorld()
    await world.hook({ secret: SECRET })
    await world.push('Grüße.txt')
    await world.server.drain()
    const [{ body: text, headers }] = world.receiver.got as [(typeof world.receiver.got)[0]]
    body = text
    signature = String(headers['x-hub-signature-256'])
    writeFileSync(join(dir, 'body'), body)
    writeFileSync(join(dir, 'changed'), body.replace('refs/heads/main', 'refs/heads/evil'))
  })
  afterAll(async () => {
    await world.close()
    rmSync(dir, { recursive: true, force: true })
  })

  it.each([
    ['Node.js', process.execPath, 'call.mjs'],
    ['Python', 'python3', 'call.py'],
    ['the shell', 'sh', 'verify.sh'],
  ])('in %s accepts what the server sends and nothing else', async (_, command, program) => {
    const exit = (file: string, given: string, secret: string): Promise<number | string> =>
      new Promise((resolve) => {
        execFile(command, [program, file, given, secret], { cwd: dir }, (error) => resolve(error ? error.code! : 0))
      })
    expect(body).toContain('refs/heads/main')
    expect(await exit('body', signature, SECRET)).toBe(0)
    expect(await exit('changed', signature, SECRET)).toBe(1)
    expect(await exit('body', signature, 'another')).toBe(1)
    expect(await exit('body', `sha256=${'0'.repeat(64)}`, SECRET)).toBe(1)
    expect(await exit('body', 'sha256=', SECRET)).toBe(1)
  })
})
