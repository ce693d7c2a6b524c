import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Person } from '../../harness/world.ts'
import { git } from '../../core/git/wire/client.ts'
import { startAgent, type Agent, type AgentKey } from './agent.ts'
import { startSshFixture, type SshFixture, type SshKey } from './fixture.ts'
import { securityKey, type Behaviour, type SecurityKey, type SecurityKeyType } from './security-key.ts'

const TYPES: readonly SecurityKeyType[] = ['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com']

let ssh: SshFixture
let alice: Person
const agents: Agent[] = []

beforeAll(async () => {
  ssh = await startSshFixture()
  alice = await ssh.server.world.user('alice')
  await ssh.server.world.repo({ owner: alice, name: 'site', isPrivate: true, autoInit: true })
})
afterAll(async () => {
  await ssh.close()
  for (const agent of agents) await agent.close()
})

async function held(
  key: SecurityKey | { line: string; blob: Buffer; sign: AgentKey['sign'] },
): Promise<SshKey & { readonly agent: Agent }> {
  const agent = await startAgent(join(ssh.dir, `agent-${agents.length}`), [key])
  agents.push(agent)
  return { ...ssh.agentKey(key.line, agent.socket), agent }
}

async function heldByAlice(type: SecurityKeyType, behaviour?: Behaviour): ReturnType<typeof held> {
  const key = securityKey(type, behaviour)
  expect((await alice.client.post('/user/keys', { title: `token ${agents.length}`, key: key.line })).status).toBe(201)
  return held(key)
}

const GREETING = /Hi there, alice! You've successfully authenticated/

describe.each(TYPES)('%s', (type) => {
  it('unregistered keys do not sign in', async () => {
    const key = await held(securityKey(type))
    expect((await ssh.ssh(key)).stderr).toContain('Permission denied (publickey)')
    expect(key.agent.signatures()).toBe(0)
  })

  it.each<[string, Behaviour]>([
    ['it signed for another application', { application: 'ssh:phishing' }],
    ['without user presence', { flags: 0 }],
    ['with user verification, without user presence', { flags: 4 }],
    ['it signed something else', { isWrong: true }],
    ['the signature is cut off', { length: type.length + 4 + 4 + 20 }],
    ['the signature has no state', { length: type.length + 4 + 4 + 3 }],
  ])('is refused when %s', async (_, behaviour) => {
    const key = await heldByAlice(type, behaviour)
    expect((await ssh.ssh(key)).stderr).toContain('Permission denied (publickey)')
    expect(key.agent.signatures()).toBe(1)
  })

  it('clones and pushes', async () => {
    const key = await heldByAlice(type)
    expect((await ssh.ssh(key)).stderr).toMatch(GREETING)
    const to = join(ssh.dir, `clone-${agents.length}`)
    await ssh.git(ssh.dir, key, 'clone', '-q', ssh.url('alice/site'), to)
    await git(to, ['commit', '-q', '--allow-empty', '-m', 'touched'])
    await ssh.git(to, key, 'push', '-q', 'origin', 'main')
    expect(key.agent.signatures()).toBe(3)
  })

  it('signs in with user verification in addition to the touch', async () => {
    expect((await ssh.ssh(await heldByAlice(type, { flags: 5 }))).stderr).toMatch(GREETING)
  })
})

describe('other keys', () => {
  it.each([
    ['ed25519', [], []],
    ['ecdsa', ['-b', '256'], []],
    ['ecdsa', ['-b', '384'], []],
    ['ecdsa', ['-b', '521'], []],
    ['rsa', ['-b', '3072'], ['-o', 'PubkeyAcceptedAlgorithms=rsa-sha2-256']],
    ['rsa', ['-b', '3072'], ['-o', 'PubkeyAcceptedAlgorithms=rsa-sha2-512']],
  ] as const)('%s %j sign in %j', async (type, make, flags) => {
    const key = ssh.makeKey(type, make)
    expect((await alice.client.post('/user/keys', { title: key.path, key: key.line })).status).toBe(201)
    expect((await ssh.ssh(key, [], { flags })).stderr).toMatch(GREETING)
  })

  it('RSA offers are answered with the algorithm name of the client', async () => {
    const key = await ssh.keyOf(alice, 'rsa')
    const accepted: string[] = []
    const client = new ssh2.Client()
    const ready = new Promise<void>((resolve, reject) => client.on('ready', resolve).on('error', reject))
    client.on('handshake', () => {
      const { _handlers: handlers } = (
        client as unknown as { _protocol: { _handlers: { USERAUTH_PK_OK: (...given: unknown[]) => void } } }
      )._protocol
      const handle = handlers.USERAUTH_PK_OK
      handlers.USERAUTH_PK_OK = (...given) => {
        accepted.push(String(given[1]))
        handle(...given)
      }
    })
    client.connect({ host: '127.0.0.1', port: ssh.port, username: 'git', privateKey: readFileSync(key.path) })
    await ready
    client.end()
    expect(accepted).toEqual(['rsa-sha2-256'])
  })

  it('RSA with SHA-1 is refused', async () => {
    const key = await ssh.keyOf(alice, 'rsa')
    const answer = await ssh.ssh(key, [], { flags: ['-o', 'PubkeyAcceptedAlgorithms=ssh-rsa'] })
    expect(answer.stderr).toContain('Permission denied (publickey)')
  })

  it('the server announces the signature algorithms', async () => {
    const answer = await ssh.ssh(await ssh.keyOf(alice), [], { flags: ['-v'] })
    const [, list = ''] = /server-sig-algs=<([^>]*)>/.exec(answer.stderr) ?? []
    expect(list.split(',').toSorted()).toEqual([
      'ecdsa-sha2-nistp256',
      'ecdsa-sha2-nistp384',
      'ecdsa-sha2-nistp521',
      'rsa-sha2-256',
      'rsa-sha2-512',
      ...TYPES.toSorted(),
      'ssh-ed25519',
    ])
  })

  it('certificates are refused without a trusted authority, even if their key is registered', async () => {
    const authority = await ssh.keyOf(alice)
    const key = ssh.makeKey()
    execFileSync('ssh-keygen', ['-q', '-s', authority.path, '-I', 'alice', '-n', 'git,alice', `${key.path}.pub`])
    expect(readFileSync(`${key.path}-cert.pub`, 'utf8')).toContain('ssh-ed25519-cert-v01@openssh.com')
    const answer = await ssh.ssh(key, [], { flags: ['-v', '-o', `CertificateFile=${key.path}-cert.pub`] })
    expect(answer.stderr).toContain('Offering public key: ' + `${key.path}`)
    expect(answer.stderr).toContain('ED25519-CERT')
    expect(answer.stderr).toContain('Permission denied (publickey)')
  })
})
