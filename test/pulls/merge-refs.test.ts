import { beforeAll, expect, it } from 'vitest'
import type { Finding } from '../../src/core/module.ts'
import { oracle } from '../core/git/fixture.ts'
import { tryGit } from '../core/git/wire/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { PASSWORD } from '../harness/world.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

const LIST = '/repos/ann/app/pulls'

describeOnBoth('the test merges of pull requests', (kind) => {
  const world = pullWorld({ on: kind })
  let path = ''
  let url = ''
  beforeAll(async () => {
    const { app } = world.server
    const { storage } = await app.database.read
      .selectFrom('repo')
      .innerJoin('user', 'user.id', 'repo.owner_id')
      .select('repo.storage')
      .where('user.name', '=', 'ann')
      .executeTakeFirstOrThrow()
    path = app.git.path(storage)
    url = `${world.server.url}/ann/app.git`
  })
  const refOf = (number: number): string =>
    oracle(path, ['for-each-ref', '--format=%(objectname)', `refs/pull/${number}/merge`])
  /** The commit that a client fetches by the name of the ref; undefined where there is none. */
  const fetched = async (number: number): Promise<string | undefined> => {
    const { code } = await tryGit(path, ['fetch', '--dry-run', url, `refs/pull/${number}/merge`])
    return code === 0 ? refOf(number) : undefined
  }
  const parents = (oid: string): string => oracle(path, ['log', '-1', '--format=%P', oid])
  const tip = (branch: string): string => oracle(path, ['rev-parse', `refs/heads/${branch}`])
  const files = (oid: string): string[] => oracle(path, ['ls-tree', '--name-only', oid]).split('\n')
  const settled = () => world.server.drain()

  it('are created on request, stay unchanged, and are updated with head and base', async () => {
    await commitFile(world.bob, { branch: 'tried', from: 'main', repo: 'bob/app' })
    const { number, head } = await createPull(world.bob, { head: 'bob:tried' })
    await commitFile(world.ann, { branch: 'main', path: 'beside.txt' })
    await settled()
    expect(refOf(number)).toBe('')
    const first = (await fetched(number))!
    expect(parents(first)).toBe(`${tip('main')} ${head.sha}`)
    expect(files(first)).toEqual(['README.md', 'beside.txt', 'tried.txt'])
    expect(await fetched(number)).toBe(first)
    const shown = await world.eve.client.get(`/repos/ann/app/git/refs/pull/${number}/merge`)
    expect(shown.json).toMatchObject([{ object: { sha: first } }])
    oracle(path, ['update-ref', '-d', `refs/pull/${number}/merge`])
    expect(await fetched(number)).toBe(first)

    const moved = await commitFile(world.bob, { branch: 'tried', path: 'more.txt', repo: 'bob/app' })
    await settled()
    expect(parents(refOf(number))).toBe(`${tip('main')} ${moved}`)
    await commitFile(world.ann, { branch: 'main', path: 'beside2.txt' })
    await settled()
    expect(parents(refOf(number))).toBe(`${tip('main')} ${moved}`)
    await world.ann.client.post('/repos/ann/app/branches', { new_branch_name: 'aside', old_ref_name: 'main' })
    await commitFile(world.ann, { branch: 'aside' })
    await world.ann.client.patch(`${LIST}/${number}`, { base: 'aside' })
    await settled()
    expect(parents(refOf(number))).toBe(`${tip('aside')} ${moved}`)
    expect(oracle(path, ['fsck', '--strict', '--no-dangling', '--connectivity-only'])).toBe('')
  })

  it('are deleted by a conflict, a close, a merge and a deletion', async () => {
    const numbers: number[] = []
    for (const branch of ['conflicts', 'closes', 'merges', 'deletes']) {
      await commitFile(world.wes, { branch, from: 'main', path: `${branch}.txt` })
      const { number } = await createPull(world.wes, { head: branch })
      expect(await fetched(number)).toHaveLength(40)
      numbers.push(number)
    }
    const [conflicts, closes, merges, deletes] = numbers
    await commitFile(world.ann, { branch: 'main', path: 'conflicts.txt', text: 'other\n' })
    expect((await world.wes.client.patch(`${LIST}/${closes}`, { state: 'closed' })).status).toBe(201)
    expect((await world.wes.client.post(`${LIST}/${merges}/merge`, { Do: 'squash' })).status).toBe(200)
    expect((await world.ann.client.delete(`/repos/ann/app/issues/${deletes}`)).status).toBe(204)
    await settled()
    expect(numbers.map(refOf)).toEqual(['', '', '', ''])
    for (const number of numbers) expect(await fetched(number)).toBeUndefined()
    expect((await world.wes.client.patch(`${LIST}/${closes}`, { state: 'open' })).status).toBe(201)
    expect(await fetched(closes!)).toHaveLength(40)
    expect(refOf(conflicts!)).toBe('')
  })

  it('reject pushes, require read permission, and are deleted by the doctor when the pull request is closed', async () => {
    await commitFile(world.wes, { branch: 'kept', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'kept' })
    const ref = `refs/pull/${number}/merge`
    const own = url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)
    const pushed = await tryGit(path, ['push', own, `refs/heads/main:${ref}`])
    expect(pushed).toMatchObject({ code: 1, stderr: expect.stringContaining('declined') })
    expect(refOf(number)).toBe('')
    expect((await world.wes.client.patch(`${LIST}/${number}`, { state: 'closed' })).status).toBe(201)
    await settled()
    oracle(path, ['update-ref', ref, 'refs/heads/main'])
    const check = world.server.app.checks.find(({ name }) => name === 'pull requests')!
    for (const [fix, state] of [
      [false, 'problem'],
      [true, 'fixed'],
    ] as const) {
      const found: Finding[] = []
      for await (const finding of check.run({ fix, quick: false })) found.push(finding)
      expect(found).toEqual([{ what: `ann/app: ${ref} is of a closed pull request`, state }])
    }
    expect(refOf(number)).toBe('')
    expect((await world.wes.client.patch(`${LIST}/${number}`, { state: 'open' })).status).toBe(201)
    await world.ann.client.patch('/repos/ann/app', { private: true })
    expect(await fetched(number)).toBeUndefined()
  })
})
