import { systemActor } from '../../../src/core/access/viewer.ts'
import { connect, type Socket } from 'node:net'
import { statSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import { rows } from '../../harness/expect.ts'
import { startServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { git, until } from '../../core/git/wire/client.ts'
import { startSshFixture, type SshFixture, type SshKey } from './fixture.ts'

let ssh: SshFixture
let alice: Person
let bob: Person
let alices: SshKey
let bobs: SshKey
let open: Repo
let secret: Repo

/** The block has a server, users, keys and repositories of its own. */
function useWorld(): void {
  beforeAll(async () => {
    ssh = await startSshFixture({}, { tuning: { ssh: { maxUnauthenticatedPerAddress: 6, loginGraceMs: 3000 } } })
    alice = await ssh.server.world.user('alice')
    bob = await ssh.server.world.user('bob')
    alices = await ssh.keyOf(alice)
    bobs = await ssh.keyOf(bob)
    open = await ssh.server.world.repo({ owner: alice, name: 'open', autoInit: true })
    secret = await ssh.server.world.repo({ owner: alice, name: 'secret', isPrivate: true, autoInit: true })
  })
  afterAll(() => ssh.close())
}

const refused = (text: string) => `error:\nerror: ${text}\nerror:\n`

describe('sign-in by key', () => {
  useWorld()

  it('only the user git with a registered key', async () => {
    const unknown = await ssh.ssh(ssh.makeKey(), ["git-upload-pack 'alice/open.git'"])
    expect([unknown.code, unknown.stderr]).toEqual([255, expect.stringContaining('Permission denied (publickey)')])
    const other = await ssh.ssh(alices, [], { user: 'alice' })
    expect(other.stderr).toContain('Permission denied (publickey)')
    const password = await ssh.ssh(alices, [], { flags: ['-o', 'PubkeyAuthentication=no'] })
    expect(password.stderr).toContain('Permission denied (publickey)')
  })

  it('every kind of key that an account may have, with a greeting and no shell', async () => {
    for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
      const key = await ssh.keyOf(alice, type)
      const shell = await ssh.ssh(key)
      expect([shell.code, shell.stdout]).toEqual([0, ''])
      expect(shell.stderr).toMatch(
        /Hi there, alice! You've successfully authenticated with the key named key \d+, but Ingot does not provide shell access\.\n/,
      )
    }
    const { id } = open
    const deploy = await ssh.deployKey(id, { readOnly: true, title: 'robot' })
    expect((await ssh.ssh(deploy)).stderr).toContain(
      "Hi there! You've successfully authenticated with the deploy key named robot, but",
    )
  })

  it('no forwarding, no programs, no subsystems', async () => {
    for (const [args, flags] of [
      [['sh -c id'], []],
      [['git-upload-pack'], []],
      [["git-upload-pack '../../etc'"], []],
      [[], ['-W', '127.0.0.1:22']],
      [['sftp'], ['-s']],
    ] as const) {
      const answer = await ssh.ssh(alices, args, { flags })
      expect(answer.code, args.join()).not.toBe(0)
    }
    expect((await ssh.ssh(alices, ['sh -c id'])).stderr).toBe(refused('Unknown git command'))
    expect((await ssh.ssh(alices, ['git-upload-pack'])).stderr).toBe(refused('Too few arguments'))
    expect((await ssh.ssh(alices, ["git-upload-pack '../../etc'"])).stderr).toBe(refused('Invalid repository path'))
    expect((await ssh.ssh(alices, ['ssh_info'])).stdout).toBe('{"type":"agit","version":1}\n')
  })

  it('a suspended or deleted account is refused at once', async () => {
    const eve = await ssh.server.world.user('eve')
    const eves = await ssh.keyOf(eve)
    await ssh.server.app.users.edit(systemActor, eve.user, { isLoginProhibited: true })
    expect((await ssh.ssh(eves, ["git-upload-pack 'alice/open.git'"])).stderr).toBe(
      refused('Your account is disabled.'),
    )
  })

  it('an open connection runs no command after its account is suspended or its key deleted', async () => {
    const command = "git-upload-pack 'alice/open.git'"
    const ivy = await ssh.server.world.user('ivy')
    const [kept, deleted] = [await ssh.keyOf(ivy), await ssh.keyOf(ivy)]
    const [suspended, keyless] = [await ssh.connect(kept), await ssh.connect(deleted)]
    expect((await keyless.run(command)).stdout).toMatch(/^[0-9a-f]{4}/)
    const { json: keys } = await ivy.client.get('/user/keys')
    const { id } = keys.find((found: { key: string }) => deleted.line.startsWith(found.key.slice(0, 60)))
    expect((await ivy.client.delete(`/user/keys/${id}`)).status).toBe(204)
    expect((await keyless.run(command)).stderr).toBe(refused('The key was deleted.'))
    expect((await suspended.run(command)).stdout).toMatch(/^[0-9a-f]{4}/)
    await ssh.server.app.users.edit(systemActor, ivy.user, { isLoginProhibited: true })
    expect((await suspended.run(command)).stderr).toBe(refused('Your account is disabled.'))
    keyless.end()
    suspended.end()
  })
})

describe('their repositories', () => {
  useWorld()

  const read = (key: SshKey, path: string) => ssh.ssh(key, [`git-upload-pack '${path}'`], { flags: ['-n'] })
  const push = (key: SshKey, path: string) => ssh.ssh(key, [`git-receive-pack '${path}'`], { flags: ['-n'] })

  it('public repos, with or without slash and suffix; private and missing ones look alike', async () => {
    for (const path of ['alice/open', '/alice/open.git', 'ALICE/Open.git'])
      expect((await ssh.tryGit(ssh.dir, bobs, 'ls-remote', ssh.url(path.replace(/^\//, '')))).code, path).toBe(0)
    for (const name of ['secret', 'missing', 'open.wiki']) {
      const answer = await read(bobs, `nobody/${name}`)
      expect([answer.code, answer.stdout, answer.stderr]).toEqual([
        1,
        '\n',
        refused(`Cannot find repository: nobody/${name}`),
      ])
    }
    for (const name of ['secret', 'missing'])
      for (const attempt of [read, push])
        expect((await attempt(bobs, `alice/${name}`)).stderr).toBe(refused(`Cannot find repository: alice/${name}`))
    expect((await ssh.tryGit(ssh.dir, alices, 'ls-remote', ssh.url('alice/secret'))).code).toBe(0)
  })

  it('readers cannot push to branches', async () => {
    const to = join(ssh.dir, 'reader')
    await ssh.git(ssh.dir, bobs, 'clone', '-q', ssh.url('alice/open'), to)
    await git(to, ['commit', '-q', '--allow-empty', '-m', 'x'])
    const answer = await ssh.tryGit(to, bobs, 'push', 'origin', 'main')
    expect(answer.stderr).toContain('remote: error: User permission denied for writing.')
    expect(answer.stderr).toContain('pre-receive hook declined')
  })

  it('archived repositories and mirrors refuse pushes', async () => {
    const repo = await ssh.server.world.repo({ owner: alice, name: 'old' })
    const mirror = await ssh.server.world.repo({ owner: alice, name: 'mirror' })
    await ssh.server.app.database.transaction(async (tx) => {
      await tx.updateTable('repo').set({ is_archived: 1 }).where('id', '=', repo.id).execute()
      await tx.updateTable('repo').set({ is_mirror: 1 }).where('id', '=', mirror.id).execute()
    })
    expect((await push(alices, 'alice/old')).stderr).toBe(refused('Repo: alice/old is archived.'))
    expect((await push(alices, 'alice/mirror')).stderr).toBe(refused('Mirror Repository alice/mirror is read-only'))
  })

  it('old names silently resolve to the repository', async () => {
    const repo = await ssh.server.world.repo({ owner: alice, name: 'before', autoInit: true })
    await alice.client.patch('/repos/alice/before', { name: 'after' })
    expect(await ssh.git(ssh.dir, alices, 'ls-remote', ssh.url('alice/before'), 'HEAD')).toMatch(/HEAD$/)
    expect(repo.id).toBeGreaterThan(0)
  })

  it('deploy keys reach their repos, read-only ones do not push, others only what is public', async () => {
    const reading = await ssh.deployKey(secret.id, { readOnly: true, title: 'reading' })
    const writing = await ssh.deployKey(secret.id, { readOnly: false, title: 'writing' })
    const foreign = await ssh.deployKey(open.id, { readOnly: false, title: 'foreign' })
    expect(await ssh.git(ssh.dir, reading, 'ls-remote', ssh.url('alice/secret'), 'HEAD')).toMatch(/HEAD$/)
    expect((await push(reading, 'alice/secret')).stderr).toMatch(
      /error: Deploy Key: \d+:reading is not authorized to write to alice\/secret\.\n/,
    )
    expect((await read(foreign, 'alice/secret')).stderr).toBe(refused('Cannot find repository: alice/secret'))
    expect(await ssh.git(ssh.dir, reading, 'ls-remote', ssh.url('alice/open'), 'HEAD')).toMatch(/HEAD$/)
    expect((await push(reading, 'alice/open')).stderr).toMatch(
      /error: Public \(Deploy\) Key: \d+:reading is not authorized to write to alice\/open\.\n/,
    )
    const to = join(ssh.dir, 'deployed')
    await ssh.git(ssh.dir, writing, 'clone', '-q', ssh.url('alice/secret'), to)
    await git(to, ['commit', '-q', '--allow-empty', '-m', 'robot'])
    await ssh.git(to, writing, 'push', '-q', 'origin', 'main')
    const pushes = await rows(ssh.server, 'push', { repo_id: secret.id })
    expect(pushes.at(-1)?.pusher_id).toBe(alice.user.id)
  })
})

describe('unauthenticated connections', () => {
  useWorld()

  const dial = (): Socket => connect(ssh.port, '127.0.0.1').on('error', () => {})

  it('are limited in number and time, and closed when they send garbage', async () => {
    const sockets = Array.from({ length: 12 }, dial)
    const shut = new Set<Socket>()
    for (const socket of sockets) {
      socket.on('close', () => shut.add(socket))
      socket.resume()
    }
    await until('those above the limit are closed', () => shut.size === 6, 2_500)
    await until('the others too, in time', () => shut.size === 12, 8_000)
    const nonsense = dial()
    const closed = new Promise((resolve) => nonsense.on('close', resolve))
    nonsense.resume()
    nonsense.write('GET / HTTP/1.1\r\n\r\n'.repeat(500))
    await closed
    expect((await ssh.ssh(alices)).code).toBe(0)
  })
})

describe('the server', () => {
  useWorld()

  it('protects its host keys and never changes them', async () => {
    const dir = join(ssh.server.dataDir, 'ssh')
    const names = readdirSync(dir)
    expect(names.toSorted()).toEqual(['ssh_host_ecdsa_key', 'ssh_host_ed25519_key'])
    for (const name of names) {
      expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
      expect(readFileSync(join(dir, name), 'utf8')).toContain('OPENSSH PRIVATE KEY')
    }
  })

  it('reports clearly that its port is in use', async () => {
    await expect(startServer({ ssh: true, settings: { 'ssh.port': String(ssh.port) } })).rejects.toThrow(
      `port ${ssh.port} of 127.0.0.1 is in use by another program, so the SSH server cannot start`,
    )
  })
})
