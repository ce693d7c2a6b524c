import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runProcess } from '../process/process.ts'
import { generateSshKeyPair } from './key-pair.ts'
import { parseSshPublicKey } from './key.ts'

it('makes keys that OpenSSH reads', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-key-'))
  try {
    for (const comment of ['a', 'ingot mirror', 'comment of another length']) {
      const pair = generateSshKeyPair(comment)
      const file = join(dir, 'key')
      writeFileSync(file, pair.privateKey)
      chmodSync(file, 0o600)
      const { code, stdout } = await runProcess('ssh-keygen', ['-y', '-P', '', '-f', file])
      expect(code).toBe(0)
      expect(stdout.toString().trim()).toBe(pair.publicKey)
      expect(parseSshPublicKey(pair.publicKey)).toMatchObject({ algorithm: 'ssh-ed25519', comment })
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
})
