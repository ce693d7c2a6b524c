import { expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { statementsOf } from '../harness/statements.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

describeOnBoth('the branches of a pull request', (kind) => {
  const world = pullWorld({ on: kind })
  const shown = async (number: number): Promise<Any> =>
    (await world.eve.client.get(`/repos/ann/app/pulls/${number}`)).json
  const timeline = async (number: number): Promise<Any[]> =>
    (await world.eve.client.get(`/repos/ann/app/issues/${number}/timeline`)).json
  const pushes = async (number: number): Promise<Any[]> =>
    (await timeline(number)).filter(({ type }) => type === 'pull_push').map(({ body }) => JSON.parse(body))
  const settled = async <T>(read: () => Promise<T>): Promise<T> => {
    await world.server.drain()
    return read()
  }

  it('move its head: ref, commits and timeline are updated', async () => {
    const first = await commitFile(world.wes, { branch: 'grow', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'grow' })
    const second = await commitFile(world.wes, { branch: 'grow', path: 'second.txt' })
    expect(await settled(() => pushes(number))).toEqual([
      { is_force_push: false, commit_ids: [first] },
      { is_force_push: false, commit_ids: [second] },
    ])
    expect(await shown(number)).toMatchObject({ head: { sha: second }, changed_files: 2, mergeable: true })
    const refs = await world.eve.client.get(`/repos/ann/app/git/refs/pull/${number}/head`)
    expect(refs.json).toMatchObject([{ object: { sha: second } }])
  })

  it('move the head in a fork', async () => {
    await commitFile(world.bob, { branch: 'away', from: 'main', repo: 'bob/app' })
    const { number } = await createPull(world.bob, { head: 'bob:away' })
    const second = await commitFile(world.bob, { branch: 'away', path: 'away2.txt', repo: 'bob/app' })
    expect(await settled(async () => (await shown(number)).changed_files)).toBe(2)
    expect((await world.eve.client.get(`/repos/ann/app/git/commits/${second}`)).status).toBe(200)
  })

  it('drop commits: earlier entries drop them, too', async () => {
    await commitFile(world.wes, { branch: 'forced', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'forced' })
    const old = (await shown(number)).head.sha
    const other = await commitFile(world.wes, { branch: 'other', from: 'main' })
    const moved = await world.wes.client.put('/repos/ann/app/branches/forced', { new_commit_id: other, force: true })
    expect(moved.status).toBe(204)
    expect(await settled(() => pushes(number))).toEqual([
      { is_force_push: false, commit_ids: [other] },
      { is_force_push: true, commit_ids: [old, other] },
    ])
  })

  it('are checked together when their base moves: each adds one statement', async () => {
    const { app } = world.server
    const statements: string[][] = []
    for (const count of [2, 4]) {
      const base = `base${count}`
      await commitFile(world.wes, { branch: base, from: 'main' })
      for (let at = 0; at < count; at++) {
        await commitFile(world.wes, { branch: `${base}-${at}`, from: base })
        await createPull(world.wes, { head: `${base}-${at}`, base })
      }
      await world.server.drain()
      await commitFile(world.wes, { branch: base, path: `moved${count}.txt` })
      statements.push(await statementsOf(app.database, () => world.server.drain()))
      const known = await app.database.read.selectFrom('pull').selectAll().where('base_branch', '=', base).execute()
      expect(new Set(known.map(({ checked_base_oid: oid }) => oid)).size).toBe(1)
      expect(known.map(({ mergeability }) => mergeability)).toEqual(Array.from({ length: count }, () => 'mergeable'))
    }
    const ofPulls = statements.map(
      (sent) => sent.filter((text) => /^(?:select .* from|update) "pull"/.test(text)).length,
    )
    expect(ofPulls[1]! - ofPulls[0]!).toBe(2)
  })

  it('conflict when the base moves, which the pull request soon shows', async () => {
    await commitFile(world.wes, { branch: 'clash', from: 'main', path: 'clash.txt', text: 'one\n' })
    const { number } = await createPull(world.wes, { head: 'clash' })
    await commitFile(world.wes, { branch: 'main', path: 'unrelated.txt' })
    expect(await settled(async () => (await shown(number)).mergeable)).toBe(true)
    await commitFile(world.wes, { branch: 'main', path: 'clash.txt', text: 'two\n' })
    expect((await shown(number)).mergeable).toBe(false)
    await commitFile(world.wes, { branch: 'main', path: 'clash2.txt' })
    expect(await settled(async () => (await shown(number)).mergeable)).toBe(false)
  })

  it('close it when the head is deleted, and it can be reopened with the branch', async () => {
    const head = await commitFile(world.wes, { branch: 'gone', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'gone' })
    expect((await world.wes.client.delete('/repos/ann/app/branches/gone')).status).toBe(204)
    expect(await settled(async () => (await shown(number)).state)).toBe('closed')
    expect(await shown(number)).toMatchObject({ head: { label: 'gone', ref: `refs/pull/${number}/head`, sha: head } })
    expect((await timeline(number)).slice(1)).toMatchObject([
      { type: 'close' },
      { type: 'delete_branch', old_ref: 'gone' },
    ])
    const next = await commitFile(world.wes, { branch: 'gone', from: 'main', path: 'gone2.txt' })
    const reopened = await world.wes.client.patch(`/repos/ann/app/pulls/${number}`, { state: 'open' })
    expect(reopened.json).toMatchObject({ state: 'open', mergeable: true, head: { ref: 'gone', sha: next } })
  })

  it('keep it open when they are renamed', async () => {
    await commitFile(world.wes, { branch: 'before', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'before' })
    expect((await world.ann.client.patch('/repos/ann/app/branches/before', { name: 'after' })).status).toBe(204)
    expect(await shown(number)).toMatchObject({ state: 'open', head: { label: 'after', ref: 'after' } })
  })

  it('retarget it to the default branch when its base is deleted', async () => {
    await commitFile(world.wes, { branch: 'lower', from: 'main' })
    await commitFile(world.wes, { branch: 'upper', from: 'lower' })
    const { number } = await createPull(world.wes, { head: 'upper', base: 'lower' })
    await world.wes.client.delete('/repos/ann/app/branches/lower')
    expect(await settled(async () => (await shown(number)).base.ref)).toBe('main')
    expect(await shown(number)).toMatchObject({ state: 'open', mergeable: true, changed_files: 2 })
    expect((await timeline(number)).map(({ type }) => type)).toEqual(['change_target_branch', 'pull_push'])
  })

  it('make it depend on the pull request whose head is its base, until that is merged or closed', async () => {
    const [one, two, three] = ['stack1', 'stack2', 'stack3']
    await commitFile(world.wes, { branch: one!, from: 'main' })
    await commitFile(world.wes, { branch: two!, from: one })
    await commitFile(world.wes, { branch: three!, from: two })
    const pulls = [
      await createPull(world.wes, { head: one! }),
      await createPull(world.wes, { head: two!, base: one }),
      await createPull(world.wes, { head: three!, base: two }),
      await createPull(world.wes, { head: two! }),
      await createPull(world.wes, { head: 'main', base: three }),
    ]
    const [first, second, third, other, back] = pulls.map(({ number }) => number as number)
    const dependencies = async () =>
      (await world.eve.client.get('/repos/ann/app/pulls?state=all&limit=5')).json
        .toReversed()
        .map((pull: Any) => pull.depends_on)
    expect(await dependencies()).toEqual([[], [first], [second, other], [], [third]])
    expect((await shown(third!)).depends_on).toEqual([second, other])
    expect((await world.wes.client.patch(`/repos/ann/app/pulls/${other}`, { state: 'closed' })).status).toBe(201)
    expect((await world.wes.client.patch(`/repos/ann/app/pulls/${back}`, { state: 'closed' })).status).toBe(201)
    expect(await dependencies()).toEqual([[], [first], [second], [], []])
    const merging = { Do: 'merge', delete_branch_after_merge: true }
    for (const [number, upper] of [
      [first, second],
      [second, third],
    ]) {
      expect((await world.wes.client.post(`/repos/ann/app/pulls/${number}/merge`, merging)).status).toBe(200)
      await world.server.drain()
      expect(await shown(upper!)).toMatchObject({ base: { ref: 'main' }, depends_on: [], mergeable: true })
    }
    expect((await world.wes.client.post(`/repos/ann/app/pulls/${third}/merge`, merging)).status).toBe(200)
  })

  it('close it when the head repository is deleted', async () => {
    const zed = await world.server.world.user('zed')
    await zed.client.post('/repos/ann/app/forks', {})
    const head = await commitFile(zed, { branch: 'lost', from: 'main', repo: 'zed/app' })
    const { number } = await createPull(zed, { head: 'zed:lost' })
    expect((await zed.client.delete('/repos/zed/app')).status).toBe(204)
    expect(await settled(async () => (await shown(number)).state)).toBe('closed')
    expect((await shown(number)).head).toEqual({
      label: 'lost',
      ref: `refs/pull/${number}/head`,
      sha: head,
      repo_id: -1,
      repo: null,
    })
  })

  it('leave no ref when it is deleted', async () => {
    await commitFile(world.wes, { branch: 'dropped', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'dropped' })
    expect((await world.ann.client.delete(`/repos/ann/app/issues/${number}`)).status).toBe(204)
    const ref = `/repos/ann/app/git/refs/pull/${number}/head`
    expect(await settled(async () => (await world.eve.client.get(ref)).status)).toBe(404)
  })
})
