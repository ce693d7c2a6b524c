import { actorOf } from '../../src/core/access/viewer.ts'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git } from '../core/git/wire/client.ts'
import { altered } from '../harness/altered.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { hasGitLfs } from '../code/lfs/large-file.ts'
import { startSshFixture, type SshFixture, type SshKey } from '../transports/git-ssh/fixture.ts'

describe.skipIf(!hasGitLfs())('the real client (git-lfs, skipped where it is not installed)', () => {
  let ssh: SshFixture
  let alice: Person
  let key: SshKey

  beforeAll(async () => {
    ssh = await startSshFixture()
    alice = await ssh.server.world.user('alice')
    key = await ssh.keyOf(alice)
  })
  afterAll(() => ssh.close())

  async function workTree(
    name: string,
    remote: string,
  ): Promise<{ path: string; run: (...args: string[]) => Promise<string> }> {
    const path = join(ssh.dir, name)
    const run = (...args: string[]) => git(path, args, { env: { ...ssh.env(key), HOME: ssh.dir } })
    await git(ssh.dir, ['init', '-q', '-b', 'main', path])
    await run('lfs', 'install', '--local')
    await run('remote', 'add', 'origin', remote)
    return { path, run }
  }

  const ways: Record<string, (name: string) => string> = {
    HTTP: (name) => `${ssh.server.url.replace('://', `://alice:${encodeURIComponent(PASSWORD)}@`)}/alice/${name}.git`,
    SSH: (name) => ssh.url(`alice/${name}.git`),
  }

  for (const [way, urlOf] of Object.entries(ways)) {
    it(`pushes, clones and locks over ${way}`, async () => {
      const name = `lfs-${way.toLowerCase()}`
      await ssh.server.world.repo({ owner: alice, name, isPrivate: true })
      const one = await workTree(`${name}-one`, urlOf(name))
      const bytes = randomBytes(3_000_000)
      await one.run('lfs', 'track', '*.bin')
      writeFileSync(join(one.path, 'big.bin'), bytes)
      await one.run('add', '.')
      await one.run('commit', '-qm', 'big')
      await one.run('push', '-q', 'origin', 'main')
      expect(await one.run('cat-file', '-p', 'main:big.bin')).toContain('git-lfs.github.com/spec/v1')

      const two = await workTree(`${name}-two`, urlOf(name))
      await two.run('pull', '-q', 'origin', 'main')
      expect(readFileSync(join(two.path, 'big.bin')).equals(bytes)).toBe(true)

      await two.run('lfs', 'lock', 'big.bin')
      expect(await one.run('lfs', 'locks')).toContain('big.bin')
      await two.run('lfs', 'unlock', 'big.bin')
      expect(await one.run('lfs', 'locks')).toBe('')
    })
  }

  it('gets a token by SSH that is good for one repository, one direction, and as long as the key', async () => {
    const bob = await ssh.server.world.user('bob')
    const bobs = await ssh.keyOf(bob)
    const open = await ssh.server.world.repo({ owner: alice, name: 'open' })
    await ssh.server.world.repo({ owner: alice, name: 'secret', isPrivate: true })
    await ssh.server.world.repo({ owner: bob, name: 'own' })
    expect((await ssh.ssh(bobs, ['git-lfs-authenticate alice/secret.git download'])).stderr).toContain(
      'Cannot find repository: alice/secret',
    )
    expect((await ssh.ssh(bobs, ['git-lfs-authenticate alice/open.git upload'])).stderr).toMatch(
      /User: \d+:bob with Key: \d+:key \d+ is not authorized to write to alice\/open\./,
    )
    const answer = JSON.parse((await ssh.ssh(bobs, ["git-lfs-authenticate 'bob/own.git' download"])).stdout)
    expect(answer.href).toBe(`${ssh.server.url}/bob/own.git/info/lfs`)
    const batch = async (path: string, operation: string, headers: Record<string, string> = answer.header) =>
      (
        await fetch(`${ssh.server.url}/${path}/info/lfs/objects/batch`, {
          method: 'POST',
          headers: { accept: 'application/vnd.git-lfs+json', ...headers },
          body: JSON.stringify({ operation, objects: [] }),
        })
      ).status
    expect(await batch('bob/own.git', 'download')).toBe(200)
    expect(await batch('bob/own.git', 'upload')).toBe(401)
    expect(await batch('alice/open.git', 'download')).toBe(401)
    expect(await batch('bob/own.git', 'download', { Authorization: altered(answer.header.Authorization) })).toBe(401)
    const deploy = await ssh.deployKey(open.id, { readOnly: true })
    expect((await ssh.ssh(deploy, ['git-lfs-authenticate alice/open.git upload'])).stderr).toContain('Deploy Key')
    const page = await ssh.server.app.sshKeys.list(bob.user.id, undefined, { page: 1, limit: 10, offset: 0 })
    await ssh.server.app.sshKeys.delete(actorOf(bob.user.id), bob.user.id, page.items[0]!.id)
    expect(await batch('bob/own.git', 'download')).toBe(401)
  })
})
