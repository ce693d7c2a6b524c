import { expect, it } from 'vitest'
import { oracle } from '../core/git/fixture.ts'
import type { Any, Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

describeOnBoth('pull requests whose repositories or readers change', (kind) => {
  const world = pullWorld({ on: kind })
  const shown = async (path: string, client: Client = world.ann.client): Promise<Any> => (await client.get(path)).json

  it('stay with the base repository under its new name and owner', async () => {
    await world.server.world.repo({ owner: world.ann, name: 'old', autoInit: true })
    await world.ann.client.put('/repos/ann/old/collaborators/wes', { permission: 'write' })
    expect((await world.bob.client.post('/repos/ann/old/forks', { name: 'fork' })).status).toBe(202)
    await commitFile(world.wes, { branch: 'own', from: 'main', repo: 'ann/old' })
    await commitFile(world.bob, { branch: 'away', from: 'main', repo: 'bob/fork' })
    const own = await createPull(world.wes, { head: 'own' }, 'ann/old')
    const away = await createPull(world.bob, { head: 'bob:away' }, 'ann/old')
    expect((await world.ann.client.patch('/repos/ann/old', { name: 'new' })).status).toBe(200)
    const { id } = (await world.server.world.org('firm', { owner: world.ann })).org
    expect((await world.ann.client.post('/repos/ann/new/transfer', { new_owner: 'firm' })).status).toBe(202)
    await commitFile(world.wes, { branch: 'own', path: 'later.txt', repo: 'firm/new' })
    const moved = await commitFile(world.bob, { branch: 'away', path: 'later.txt', repo: 'bob/fork' })
    await world.server.drain()
    const list = await shown('/repos/firm/new/pulls?sort=oldest')
    expect(list.map(({ base }: Any) => [base.repo.full_name, base.repo.owner.id])).toEqual([
      ['firm/new', id],
      ['firm/new', id],
    ])
    expect(list[0]).toMatchObject({ number: own.number, head: { repo: { full_name: 'firm/new' } }, mergeable: true })
    expect(list[1].html_url).toMatch(`/firm/new/pulls/${away.number}`)
    const one = `/repos/firm/new/pulls/${away.number}`
    expect(await shown(one)).toMatchObject({ head: { sha: moved, repo: { full_name: 'bob/fork' } }, changed_files: 2 })
    const merge = await world.ann.client.post(`${one}/merge`, { Do: 'merge', delete_branch_after_merge: true })
    expect(merge.status, merge.text).toBe(200)
    expect((await world.ann.client.get(`/repos/ann/old/pulls/${away.number}`)).status).toBe(301)
    expect((await world.wes.client.patch(`/repos/firm/new/pulls/${own.number}`, { state: 'closed' })).status).toBe(201)
  })

  it('from a head that became private are shown as proposed, and can be merged without reading it', async () => {
    const before = await commitFile(world.bob, { branch: 'hides', from: 'main', repo: 'bob/app' })
    const { number } = await createPull(world.bob, { head: 'bob:hides' })
    // NOTE: the API gives a fork the visibility of its base; an administrator's repair of a network may not.
    await world.server.app.database.transaction((tx) =>
      tx.updateTable('repo').set({ is_private: 1 }).where('owner_id', '=', world.bob.user.id).execute(),
    )
    const one = `/repos/ann/app/pulls/${number}`
    expect(await shown(one, world.eve.client)).toMatchObject({
      head: { sha: before, repo: { permissions: { pull: false, push: false, admin: false } } },
      changed_files: 1,
    })
    for (const rest of ['.diff', '.patch', '/files', '/commits'])
      expect((await world.eve.client.get(one + rest)).status, rest).toBe(200)
    expect((await world.eve.client.get('/repos/bob/app')).status).toBe(404)
    const answer = await world.wes.client.post(`${one}/merge`, { Do: 'rebase', delete_branch_after_merge: true })
    expect(answer.status, answer.text).toBe(200)
    expect((await world.bob.client.get('/repos/bob/app/branches/hides')).status).toBe(200)
  })

  it('are refused for public-only tokens when the base is private', async () => {
    await world.server.world.repo({ owner: world.ann, name: 'vault', isPrivate: true, autoInit: true })
    await commitFile(world.ann, { branch: 'kept', from: 'main', repo: 'ann/vault' })
    const { number } = await createPull(world.ann, { head: 'kept' }, 'ann/vault')
    await commitFile(world.ann, { branch: 'open', from: 'main' })
    const { number: open } = await createPull(world.ann, { head: 'open' })
    const narrow = await world.ann.withToken('public-only', 'write:repository', 'write:issue')
    const calls = (repo: string, index: number): Promise<Any>[] => [
      narrow.get(`/repos/${repo}/pulls`),
      narrow.get(`/repos/${repo}/pulls/${index}`),
      narrow.get(`/repos/${repo}/pulls/${index}.diff`),
      narrow.get(`/repos/${repo}/pulls/${index}/merge/preview`),
      narrow.patch(`/repos/${repo}/pulls/${index}`, { title: 'Edited' }),
      narrow.post(`/repos/${repo}/pulls/${index}/merge`, { Do: 'merge' }),
    ]
    const statuses = async (made: Promise<Any>[]) => (await Promise.all(made)).map(({ status }) => status as number)
    expect(new Set(await statuses(calls('ann/vault', number)))).toEqual(new Set([403]))
    expect(await statuses(calls('ann/app', open).slice(0, 5))).toEqual([200, 200, 200, 200, 201])
    expect(await shown(`/repos/ann/vault/pulls/${number}`)).toMatchObject({ title: 'A pull request', merged: false })
  })

  it('stay when their author and their reviewer lose access, who then cannot act on them', async () => {
    await world.server.world.repo({ owner: world.ann, name: 'inner', isPrivate: true, autoInit: true })
    const AT = '/repos/ann/inner'
    for (const name of ['wes', 'eve'])
      expect((await world.ann.client.put(`${AT}/collaborators/${name}`, { permission: 'write' })).status).toBe(204)
    const rule = { rule_name: 'main', required_approvals: 1, enable_push: true }
    expect((await world.ann.client.post(`${AT}/branch_protections`, rule)).status).toBe(201)
    await commitFile(world.wes, { branch: 'left', from: 'main', repo: 'ann/inner' })
    const { number } = await createPull(world.wes, { head: 'left', reviewers: ['eve'] }, 'ann/inner')
    const one = `${AT}/pulls/${number}`
    expect((await world.eve.client.post(`${one}/reviews`, { event: 'APPROVED' })).status).toBe(200)
    const later = { Do: 'merge', merge_when_checks_succeed: true }
    await world.ann.client.patch(`${AT}/branch_protections/main`, { required_approvals: 2 })
    expect((await world.wes.client.post(`${one}/merge`, later)).status).toBe(201)
    for (const name of ['wes', 'eve']) await world.ann.client.delete(`${AT}/collaborators/${name}`)
    await world.ann.client.patch(`${AT}/branch_protections/main`, { required_approvals: 1 })
    await world.server.drain()
    expect(await shown(one)).toMatchObject({ merged: false, state: 'open', user: { login: 'wes' } })
    for (const { client } of [world.wes, world.eve]) {
      const answers = [
        await client.get(one),
        await client.patch(one, { state: 'closed' }),
        await client.post(`${one}/reviews`, { event: 'COMMENT', body: 'Still here' }),
        await client.post(`${one}/merge`, { Do: 'merge' }),
        await client.post(`${one}/update`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    }
    expect((await shown(`${one}/reviews`)).map((review: Any) => review.user.login)).toContain('eve')
    // The approval of a reviewer without access does not count.
    expect((await world.ann.client.post(`${one}/merge`, { Do: 'squash' })).status).toBe(422)
    await world.ann.client.patch(`${AT}/branch_protections/main`, { required_approvals: 0 })
    expect((await world.ann.client.post(`${one}/merge`, { Do: 'squash' })).status).toBe(200)
  })

  it('have SHA-256 ids in a SHA-256 repository', async () => {
    const wide = { name: 'wide', object_format_name: 'sha256', auto_init: true, default_branch: 'main' }
    expect((await world.ann.client.post('/user/repos', wide)).status).toBe(201)
    const { storage } = await world.server.app.database.read
      .selectFrom('repo')
      .select('storage')
      .where('lower_name', '=', 'wide')
      .executeTakeFirstOrThrow()
    for (const style of ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only']) {
      const head = await commitFile(world.ann, { branch: style, from: 'main', repo: 'ann/wide' })
      const made = await createPull(world.ann, { head: style }, 'ann/wide')
      expect(made).toMatchObject({ mergeable: true, changed_files: 1, head: { sha: head } })
      expect([head, made.merge_base].map((oid: string) => oid.length)).toEqual([64, 64])
      if (style !== 'fast-forward-only')
        await commitFile(world.ann, { branch: 'main', path: `main-${style}.txt`, repo: 'ann/wide' })
      const one = `/repos/ann/wide/pulls/${made.number}`
      expect((await world.ann.client.get(`${one}.diff`)).text).toContain(`+${style}\n`)
      expect((await shown(`${one}/merge/preview?style=${style}`)).tree_sha).toHaveLength(64)
      const merge = await world.ann.client.post(`${one}/merge`, { Do: style })
      expect([merge.status, merge.json.sha?.length], style).toEqual([200, 64])
      expect(await shown(`${one}/files`)).toMatchObject([{ filename: `${style}.txt`, status: 'added' }])
    }
    const path = world.server.app.git.path(storage)
    expect(oracle(path, ['fsck', '--strict', '--no-dangling'])).toBe('')
    expect(oracle(path, ['ls-tree', '--name-only', 'main']).split('\n')).toHaveLength(10)
  })
})
