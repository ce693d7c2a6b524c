import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

describeOnBoth('creating a pull request', (kind) => {
  const world = pullWorld({ on: kind })
  const LIST = '/repos/ann/app/pulls'

  it('shows branches, commits, totals and mergeability', async () => {
    const head = await commitFile(world.wes, { branch: 'plain', from: 'main' })
    const pull = await createPull(world.wes, { head: 'plain' })
    expect(pull).toMatchObject({
      state: 'open',
      draft: false,
      mergeable: true,
      merged: false,
      merge_commit_sha: null,
      user: { login: 'wes' },
      additions: 1,
      deletions: 0,
      changed_files: 1,
      base: { label: 'main', ref: 'main', sha: pull.merge_base },
      head: { label: 'plain', ref: 'plain', sha: head },
    })
    expect((await world.eve.client.get(`${LIST}/${pull.number}`)).json).toMatchObject({ id: pull.id, changed_files: 1 })
  })

  it('is an issue of the same number, and starts a timeline with its commits', async () => {
    const head = await commitFile(world.wes, { branch: 'entries', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'entries', title: 'WIP: entries' })
    const issue = await world.eve.client.get(`/repos/ann/app/issues/${number}`)
    expect(issue.json).toMatchObject({ pull_request: { merged: false, merged_at: null, draft: true } })
    const timeline = (await world.eve.client.get(`/repos/ann/app/issues/${number}/timeline`)).json
    expect(timeline).toMatchObject([{ type: 'pull_push' }])
    expect(JSON.parse(timeline[0].body)).toEqual({ is_force_push: false, commit_ids: [head] })
    const found = await world.eve.client.get('/repos/ann/app/pulls/main/entries')
    expect(found.json).toMatchObject({ number, head: { sha: head } })
    expect((await world.ann.client.post(`/repos/ann/app/issues/${number}/pin`)).status).toBe(204)
    const pinned = (await world.eve.client.get('/repos/ann/app/pulls/pinned')).json
    expect(pinned).toMatchObject([{ number, pin_order: 1, changed_files: 1 }])
  })

  it('is listed by the names of its branches', async () => {
    await commitFile(world.wes, { branch: 'by-head', from: 'main' })
    const { number, flow } = await createPull(world.wes, { head: 'by-head' })
    const found = async (query: string): Promise<number[]> =>
      (await world.eve.client.get(`${LIST}?${query}`)).json.map((pull: { number: number }) => pull.number)
    expect(await found('head=by-head')).toEqual([number])
    expect(await found('head=by-head&base=main')).toEqual([number])
    expect(await found('head=by-head&base=other')).toEqual([])
    expect(await found('head=by')).toEqual([])
    expect(flow).toBe(0)
  })

  it('becomes or stops being a draft by its title', async () => {
    await commitFile(world.wes, { branch: 'draft', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'draft', title: '[wip] draft' })
    const shown = async () => (await world.wes.client.get(`${LIST}/${number}`)).json
    expect(await shown()).toMatchObject({ draft: true, mergeable: false })
    await world.wes.client.patch(`/repos/ann/app/issues/${number}`, { title: 'draft' })
    expect(await shown()).toMatchObject({ draft: false, mergeable: true })
  })

  it('copies the commits of a fork into the base repository', async () => {
    const head = await commitFile(world.bob, { branch: 'forked', from: 'main', repo: 'bob/app' })
    const pull = await createPull(world.bob, { head: 'bob:forked' })
    expect(pull).toMatchObject({
      changed_files: 1,
      head: { label: 'forked', sha: head, repo: { full_name: 'bob/app' } },
      base: { repo: { full_name: 'ann/app' } },
    })
    expect((await world.eve.client.get(`/repos/ann/app/git/commits/${head}`)).status).toBe(200)
    const refs = await world.eve.client.get(`/repos/ann/app/git/refs/pull/${pull.number}/head`)
    expect(refs.json).toMatchObject([{ object: { sha: head } }])
  })

  it('is not mergeable when paths conflict', async () => {
    await commitFile(world.wes, { branch: 'side', from: 'main', path: 'same.txt', text: 'side\n' })
    await commitFile(world.wes, { branch: 'main', path: 'same.txt', text: 'main\n' })
    expect(await createPull(world.wes, { head: 'side' })).toMatchObject({ mergeable: false })
  })

  it('allows one open pull request per pair of branches, also for concurrent requests', async () => {
    await commitFile(world.wes, { branch: 'twice', from: 'main' })
    const body = { head: 'twice', base: 'main', title: 'Twice' }
    const answers = await Promise.all([world.wes.client.post(LIST, body), world.ann.client.post(LIST, body)])
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([201, 409])
    const refused = answers.find((answer) => answer.status === 409)!
    expect(refused.json.message).toMatch(/^pull request already exists for these targets \[id: \d+, issue_id: \d+, /)
    const made = answers.find((answer) => answer.status === 201)!
    await world.wes.client.patch(`/repos/ann/app/issues/${made.json.number}`, { state: 'closed' })
    expect((await world.wes.client.post(LIST, body)).status).toBe(201)
  })

  it.each([
    ['the same branch twice', { head: 'main' }, 422],
    ['an unknown head', { head: 'none' }, 404],
    ['an unknown base', { head: 'main', base: 'none' }, 404],
    ['an unknown owner of the head', { head: 'ghost:main' }, 404],
    ['an owner without a fork', { head: 'eve:main' }, 400],
    ['an unknown milestone', { head: 'refused', milestone: 99 }, 404],
    ['an unknown assignee', { head: 'refused', assignees: ['ghost'] }, 422],
    ['an empty title', { head: 'refused', title: ' ' }, 422],
  ])('refuses %s', async (_, body, status) => {
    await world.wes.client.post('/repos/ann/app/branches', { new_branch_name: 'refused' })
    const answer = await world.wes.client.post(LIST, { base: 'main', title: 'Refused', ...body })
    expect(answer.status, JSON.stringify(answer.json)).toBe(status)
  })

  it('lets its author set the due date, but no labels, milestone or assignees', async () => {
    await commitFile(world.bob, { branch: 'planned', from: 'main', repo: 'bob/app' })
    const { number } = await createPull(world.bob, { head: 'bob:planned' })
    const path = `/repos/ann/app/pulls/${number}`
    const edit = { due_date: '2032-05-06T01:02:03Z', assignees: ['ann'] }
    const edited = await world.bob.client.patch(path, edit)
    expect(edited).toMatchObject({ status: 201, json: { due_date: '2032-05-06T23:59:59Z', assignees: [] } })
    expect((await world.bob.client.patch(path, { unset_due_date: true })).json.due_date).toBeNull()
    expect((await world.bob.client.get('/repos/ann/app/pulls?labels=1&labels=x')).status).toBe(422)
  })

  it('refuses accounts that neither collaborate nor write to the head', async () => {
    await commitFile(world.wes, { branch: 'foreign', from: 'main' })
    const body = { head: 'foreign', base: 'main', title: 'Foreign' }
    expect(await world.eve.client.post(LIST, body)).toMatchObject({
      status: 403,
      json: { message: 'user must be a collaborator' },
    })
  })

  it('requires an account, and returns 404 for an empty repository', async () => {
    await world.server.world.repo({ owner: world.ann, name: 'bare' })
    const body = { head: 'a', base: 'b', title: 'c' }
    expect((await world.server.anonymous.post(LIST, body)).status).toBe(401)
    expect((await world.ann.client.post('/repos/ann/bare/pulls', body)).status).toBe(404)
  })
})
