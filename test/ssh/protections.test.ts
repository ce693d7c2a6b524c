import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../src/subjects/repos/repo.store.ts'
import type { Person } from '../harness/world.ts'
import { git } from '../git/wire/client.ts'
import { startSshFixture, type SshFixture, type SshKey } from './fixture.ts'

let ssh: SshFixture
let ann: Person
let anns: SshKey
let deploy: SshKey
let repo: Repo
let work: string
let count = 0
const RULES = '/repos/ann/r/branch_protections'

beforeAll(async () => {
  ssh = await startSshFixture()
  ann = await ssh.server.world.user('ann')
  anns = await ssh.keyOf(ann)
  repo = await ssh.server.world.repo({ owner: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
  deploy = await ssh.deployKey(repo.id, { readOnly: false })
  work = join(ssh.dir, 'work')
  await ssh.git(ssh.dir, anns, 'clone', '-q', ssh.url('ann/r.git'), work)
})
afterAll(() => ssh.close())

async function commit(...options: string[]): Promise<void> {
  writeFileSync(join(work, `file${++count}`), String(count))
  await git(work, ['add', '.'])
  await git(work, [...options, 'commit', '-qm', `${count}`])
}
const push = (key: SshKey, ...args: string[]) => ssh.tryGit(work, key, 'push', '-q', 'origin', ...args)

describe('deploy keys', () => {
  it('push where writers may, and past a whitelist only where the rule says so', async () => {
    await ann.client.post(RULES, { rule_name: 'rel', enable_push: true })
    await commit()
    expect(await push(deploy, 'HEAD:rel')).toMatchObject({ code: 0 })
    // The key acts in the name of ann, but is not ann: her place on the list is not its own.
    await ann.client.patch(`${RULES}/rel`, {
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['ann'],
    })
    await commit()
    expect((await push(deploy, 'HEAD:rel')).stderr).toContain('error: Not allowed to push to protected branch rel')
    await ann.client.patch(`${RULES}/rel`, { enable_push: true, push_whitelist_deploy_keys: true })
    expect(await push(deploy, 'HEAD:rel')).toMatchObject({ code: 0 })
    await ann.client.patch(`${RULES}/rel`, {
      enable_push: true,
      enable_force_push: true,
      enable_force_push_allowlist: true,
      force_push_allowlist_usernames: ['ann'],
    })
    await git(work, ['commit', '-q', '--amend', '-m', 'other'])
    expect((await push(deploy, '-f', 'HEAD:rel')).stderr).toContain(
      'error: Not allowed to force-push to protected branch rel',
    )
    await ann.client.patch(`${RULES}/rel`, {
      enable_push: true,
      enable_force_push: true,
      force_push_allowlist_deploy_keys: true,
    })
    expect(await push(deploy, '-f', 'HEAD:rel')).toMatchObject({ code: 0 })
  })

  it('never touch protected tags', async () => {
    await ann.client.post('/repos/ann/r/tag_protections', { name_pattern: 'v*', whitelist_usernames: ['ann'] })
    await git(work, ['tag', 'v1'])
    expect((await push(deploy, 'v1')).stderr).toContain('error: Tag v1 is protected')
    expect(await push(anns, 'v1')).toMatchObject({ code: 0 })
  })
})

describe('required signatures', () => {
  it('are met by commits that the committer signed with a key of the account', async () => {
    await push(anns, 'origin/main:refs/heads/signed')
    await ann.client.post(RULES, { rule_name: 'signed', enable_push: true, require_signed_commits: true })
    // A key counts once its owner has signed in with it; that is written down within some seconds.
    await ssh.server.app.keyLogins.flush()
    await git(work, ['checkout', '-q', '-B', 'signed', 'origin/main'])
    const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${anns.path}`, '-c', 'commit.gpgsign=true']
    const asAnn = { env: { GIT_COMMITTER_EMAIL: ann.user.email } }
    for (let at = 0; at < 3; at++) {
      writeFileSync(join(work, `signed${at}`), String(at))
      await git(work, ['add', '.'])
      await git(work, [...sign, 'commit', '-qm', `signed ${at}`], asAnn)
    }
    expect(await push(anns, 'HEAD:signed')).toMatchObject({ code: 0 })
    await commit()
    await git(work, [...sign, 'commit', '-q', '--allow-empty', '-m', 'good again'], asAnn)
    const bad = await git(work, ['rev-parse', 'HEAD~1'])
    expect((await push(anns, 'HEAD:signed')).stderr).toContain(
      `error: branch signed is protected from unverified commit ${bad}`,
    )
  })
})
