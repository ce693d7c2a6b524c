import ssh2 from 'ssh2'
import { expect, it } from 'vitest'
import { generateKey } from './ssh-server.ts'

const BROKEN = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE=\n-----END OPENSSH PRIVATE KEY-----\n'

it('generates another host key instead of one that cannot be parsed', () => {
  const good = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private
  const made = [BROKEN, BROKEN, good]
  expect(generateKey(() => made.shift()!, ssh2.utils)).toBe(good)
  expect(() => generateKey(() => BROKEN, ssh2.utils)).toThrow('no usable SSH host key')
})
