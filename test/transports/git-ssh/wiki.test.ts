import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSshFixture, type SshFixture } from './fixture.ts'

let ssh: SshFixture
beforeAll(async () => {
  ssh = await startSshFixture()
})
afterAll(() => ssh.close())

describe('wikis over SSH', () => {
  it('are separate from the code, created on demand, and written by accounts with permission', async () => {
    const alice = await ssh.server.world.user('alice')
    const bob = await ssh.server.world.user('bob')
    const [hers, his] = [await ssh.keyOf(alice), await ssh.keyOf(bob)]
    await ssh.server.world.repo({ owner: alice, name: 'open', autoInit: true })
    expect(await ssh.git(ssh.dir, hers, 'ls-remote', ssh.url('alice/open.wiki.git'))).toBe('')
    const work = join(ssh.dir, 'work')
    await ssh.git(ssh.dir, hers, 'clone', '-q', ssh.url('alice/open.wiki.git'), work)
    writeFileSync(join(work, 'Home.md'), 'hello\n')
    await ssh.git(work, hers, 'add', '.')
    await ssh.git(work, hers, 'commit', '-qm', 'begin')
    expect((await ssh.tryGit(work, his, 'push', '-q', 'origin', 'HEAD:refs/heads/main')).stderr).toContain(
      'User permission denied for writing.',
    )
    await ssh.git(work, hers, 'push', '-q', 'origin', 'HEAD:refs/heads/main')
    expect((await ssh.server.anonymous.get('/repos/alice/open/wiki/page/Home')).json.content_base64).toBe(
      Buffer.from('hello\n').toString('base64'),
    )
    expect(await ssh.git(ssh.dir, his, 'ls-remote', ssh.url('alice/open.wiki.git'), 'refs/heads/main')).not.toBe(
      await ssh.git(ssh.dir, his, 'ls-remote', ssh.url('alice/open.git'), 'refs/heads/main'),
    )
  })
})
