import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { parseSshCertificate } from '../../../src/core/platform/ssh/certificate.ts'
import { framed } from '../../../src/core/platform/ssh/signature.ts'
import { startServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'
import { ed25519Key, signRequest, type RequestKey, type Signing } from '../../accounts/sign-in/signer.ts'
import { startAgent, type Agent } from './agent.ts'
import { startSshFixture, type SshFixture, type SshKey } from './fixture.ts'
import { securityKey } from './security-key.ts'

const temporary = tempDir()
const authority = makeKey('authority')
const rsaAuthority = makeKey('rsa-authority', ['-t', 'rsa', '-b', '3072'])
const otherAuthority = makeKey('other-authority')

let ssh: SshFixture
let alice: Person
const agents: Agent[] = []

beforeAll(async () => {
  ssh = await startSshFixture({
    'ssh.trusted_user_ca_keys': [authority, rsaAuthority]
      .map((path) => readFileSync(`${path}.pub`, 'utf8').trim())
      .join(','),
  })
  alice = await ssh.server.world.user('alice')
  await ssh.server.world.repo({ owner: alice, name: 'site', isPrivate: true, autoInit: true })
})
afterAll(async () => {
  await ssh.close()
  for (const agent of agents) await agent.close()
  temporary.remove()
})

function makeKey(name: string, options: readonly string[] = ['-t', 'ed25519']): string {
  const path = join(temporary.path, name)
  execFileSync('ssh-keygen', ['-q', ...options, '-N', '', '-C', '', '-f', path])
  return path
}

/** What ssh-keygen -s says: `principals` empty is none. */
function certify(key: SshKey, by: string, principals: string, options: readonly string[] = []): SshKey {
  execFileSync(
    'ssh-keygen',
    [
      '-q',
      '-s',
      by,
      '-I',
      'laptop',
      ...(principals === '' ? [] : ['-n', principals]),
      ...options,
      existsSync(`${key.path}.pub`) ? `${key.path}.pub` : key.path,
    ],
    { stdio: 'pipe' },
  )
  return key
}

const withCertificate = (key: SshKey): string[] => ['-o', `CertificateFile=${key.path}-cert.pub`]
const GREETING = "Hi there, alice! You've successfully authenticated with the certificate named laptop, but"

describe('over SSH', () => {
  it.each([
    ['ed25519', []],
    ['ecdsa', ['-b', '256']],
    ['ecdsa', ['-b', '521']],
    ['rsa', ['-b', '3072']],
  ] as const)('a certificate over a key of kind %s %j signs its principal in', async (type, options) => {
    for (const by of [authority, rsaAuthority]) {
      const key = certify(ssh.makeKey(type, options), by, 'alice', ['-V', '-1m:+1h'])
      expect((await ssh.ssh(key, [], { flags: withCertificate(key) })).stderr, by).toContain(GREETING)
    }
  })

  it('can clone, push and use LFS, and refusals contain its user', async () => {
    const key = certify(ssh.makeKey(), authority, 'nobody-here,alice@example.test')
    const command = { GIT_SSH_COMMAND: `${ssh.env(key)['GIT_SSH_COMMAND']} ${withCertificate(key).join(' ')}` }
    const to = join(ssh.dir, 'certified')
    await git(ssh.dir, ['clone', '-q', ssh.url('alice/site'), to], { env: command })
    await git(to, ['commit', '-q', '--allow-empty', '-m', 'certified'])
    await git(to, ['push', '-q', 'origin', 'main'], { env: command })
    const lfs = JSON.parse(
      (await ssh.ssh(key, ['git-lfs-authenticate alice/site.git download'], { flags: withCertificate(key) })).stdout,
    ) as { href: string; header: Record<string, string> }
    const batch = await fetch(`${lfs.href}/objects/batch`, {
      method: 'POST',
      headers: {
        ...lfs.header,
        accept: 'application/vnd.git-lfs+json',
        'content-type': 'application/vnd.git-lfs+json',
      },
      body: '{"operation":"download","objects":[]}',
    })
    expect(batch.status).toBe(200)
    await ssh.server.world.repo({ owner: await ssh.server.world.user('carol'), name: 'hers', autoInit: true })
    const refused = await ssh.ssh(key, ['git-lfs-authenticate carol/hers.git upload'], { flags: withCertificate(key) })
    expect(refused.stderr).toMatch(/User: \d+:alice with Certificate: laptop is not authorized to write to carol\/hers/)
  })

  it('a key on a hardware token that is touched', async () => {
    const token = securityKey('sk-ssh-ed25519@openssh.com')
    const socket = join(ssh.dir, 'agent')
    const key = certify(ssh.agentKey(token.line, socket), authority, 'alice')
    const certificate = Buffer.from(readFileSync(`${key.path}-cert.pub`, 'utf8').split(' ')[1]!, 'base64')
    agents.push(await startAgent(socket, [token, { blob: certificate, sign: token.sign }]))
    expect((await ssh.ssh(key, [], { flags: withCertificate(key) })).stderr).toContain(GREETING)
  })

  it.each<[string, string, string, readonly string[]]>([
    ['of an authority that is not trusted', otherAuthority, 'alice', []],
    ['without principals', authority, '', []],
    ['for no principal that has an account', authority, 'nobody-here', []],
    ['signed with SHA-1', rsaAuthority, 'alice', ['-t', 'ssh-rsa']],
    ['that is over', authority, 'alice', ['-V', '-2h:-1h']],
    ['that is not yet', authority, 'alice', ['-V', '+1h:+2h']],
    ['for hosts', authority, 'alice', ['-h']],
    ['for one program alone', authority, 'alice', ['-O', 'force-command=true']],
    ['for other addresses', authority, 'alice', ['-O', 'source-address=10.0.0.0/8']],
    ['with a condition that is yet to be invented', authority, 'alice', ['-O', 'critical:future@example.test']],
  ])('none %s', async (_, by, principals, options) => {
    const key = certify(ssh.makeKey(), by, principals, options)
    expect((await ssh.ssh(key, [], { flags: withCertificate(key) })).stderr).toContain('Permission denied (publickey)')
  })

  it('one without an account does not prevent its key from signing in', async () => {
    const key = certify(await ssh.keyOf(alice), otherAuthority, 'alice')
    expect((await ssh.ssh(key, [], { flags: withCertificate(key) })).stderr).toContain(
      "Hi there, alice! You've successfully authenticated with the key named key",
    )
  })

  it('none with any bit changed', () => {
    const key = certify(ssh.makeKey(), authority, 'alice')
    const wire = Buffer.from(readFileSync(`${key.path}-cert.pub`, 'utf8').split(' ')[1]!, 'base64')
    expect(parseSshCertificate(wire)).toMatchObject({
      principals: ['alice'],
      name: 'laptop',
      isForUsers: true,
      criticalOptions: [],
    })
    fc.assert(
      fc.property(fc.nat(wire.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(wire)
        changed[at]! ^= flip
        return parseSshCertificate(changed) === undefined && parseSshCertificate(wire.subarray(0, at)) === undefined
      }),
      { numRuns: 400 },
    )
  })

  it('none that was changed, none with the key of another', async () => {
    const key = certify(ssh.makeKey(), authority, 'nobody-here')
    const [type, blob = ''] = readFileSync(`${key.path}-cert.pub`, 'utf8').split(' ')
    const changed = Buffer.from(
      Buffer.from(blob, 'base64').toString('latin1').replace('nobody-here', 'alice\0\0\0\0\0\0'),
      'latin1',
    )
    const socket = join(ssh.dir, 'agent-changed')
    let asked = 0
    agents.push(await startAgent(socket, [{ blob: changed, sign: (data) => (asked++, framed(data)) }]))
    expect((await ssh.ssh(ssh.agentKey(`${type} ${changed.toString('base64')}`, socket))).stderr).toContain(
      'Permission denied (publickey)',
    )
    expect(asked).toBe(0)

    const good = certify(ssh.makeKey(), authority, 'alice')
    const [, certificate = ''] = readFileSync(`${good.path}-cert.pub`, 'utf8').split(' ')
    const stealing = join(ssh.dir, 'agent-stealing')
    const thieves = await startAgent(stealing, [
      {
        blob: Buffer.from(certificate, 'base64'),
        sign: () => Buffer.concat([framed('ssh-ed25519'), framed(Buffer.alloc(64, 7))]),
      },
    ])
    agents.push(thieves)
    expect((await ssh.ssh(ssh.agentKey(`${type} ${certificate}`, stealing))).stderr).toContain(
      'Permission denied (publickey)',
    )
    expect(thieves.signatures()).toBe(1)
  })
})

describe('by HTTP signature', () => {
  const seconds = (): number => Math.floor(systemClock.now() / 1000)
  const certificateOf = (key: RequestKey, by: string, principals: string, options: readonly string[] = []): string => {
    const made = certify(ssh.agentKey(key.line, 'none'), by, principals, options)
    return readFileSync(`${made.path}-cert.pub`, 'utf8').split(' ')[1]!.replace(/=+$/, '')
  }
  const ask = async (
    key: RequestKey,
    certificate: string,
    signing: Signing = {},
  ): Promise<{ status: number; login: string | undefined }> => {
    const headers = signRequest(key, '/api/v1/user', seconds(), {
      keyId: 'anything',
      headers: { 'x-ssh-certificate': certificate },
      ...signing,
    })
    const answer = await fetch(`${ssh.server.url}/api/v1/user`, {
      headers: { 'x-ssh-certificate': certificate, ...headers },
    })
    return { status: answer.status, login: ((await answer.json()) as { login?: string }).login }
  }

  it('signs its principal in, whatever the id of the key says', async () => {
    const key = ed25519Key()
    expect(await ask(key, certificateOf(key, authority, 'alice'))).toEqual({ status: 200, login: 'alice' })
    expect((await ask(key, certificateOf(key, rsaAuthority, 'ALICE'))).status).toBe(200)
  })

  it('is refused when it is invalid or its key did not sign', async () => {
    const key = ed25519Key()
    const good = certificateOf(key, authority, 'alice')
    expect((await ask(ed25519Key(), good)).status, 'another key').toBe(401)
    expect((await ask(key, good, { headers: {} })).status, 'not covered').toBe(401)
    expect((await ask(key, certificateOf(key, otherAuthority, 'alice'))).status).toBe(401)
    expect((await ask(key, certificateOf(key, authority, 'alice', ['-V', '-2h:-1h']))).status).toBe(401)
    expect((await ask(key, `${good.slice(0, 200)}AAAA${good.slice(204)}`)).status).toBe(401)
    for (const broken of ['x', good.slice(0, -4), `${good}AAAA`, 'AAAA'.repeat(1000)])
      expect((await ask(key, broken)).status).toBe(401)
  })
})

it('an unreadable authority prevents the start', async () => {
  const settings = { 'ssh.trusted_user_ca_keys': 'ssh-ed25519 %%%' }
  await expect(startServer({ settings })).rejects.toThrow('ssh.trusted_user_ca_keys: not base64')
})
