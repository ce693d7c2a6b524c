import { expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { commitFile, pullWorld } from '../pulls/pull-world.ts'

const AT = '/repos/ann/app'
const LIST = `${AT}/pulls`

/** The calls of clients in their order, as they send them. */
describeOnBoth('clients that work with pull requests', (kind) => {
  const world = pullWorld({ on: kind })

  it('update a dependency as renovate does', async () => {
    const bot = world.wes.client
    expect((await bot.get(AT)).json).toMatchObject({
      allow_squash_merge: expect.any(Boolean),
      default_branch: 'main',
      empty: false,
      permissions: { pull: true, push: true },
    })
    expect((await bot.get(`${LIST}?state=all&sort=recentupdate`)).json).toEqual([])
    const label = (await world.ann.client.post(`${AT}/labels`, { name: 'deps', color: '#00aa00' })).json.id as number
    expect((await bot.get(`${AT}/labels`)).json).toMatchObject([{ id: label, name: 'deps' }])

    const head = await commitFile(world.wes, { branch: 'renovate/left-pad', from: 'main', path: 'package.json' })
    const fields = { base: 'main', head: 'renovate/left-pad', title: 'Update left-pad', body: 'Table' }
    const made = await bot.post(LIST, { ...fields, labels: [label] })
    expect(made).toMatchObject({ status: 201, json: { labels: [{ id: label }], head: { sha: head } } })
    const again = await bot.post(LIST, { ...fields, labels: [label] })
    expect(again.status).toBe(409)
    expect(again.json.message).toMatch(/^pull request already exists for these targets \[/)

    const one = `${LIST}/${made.json.number}`
    const found: Any[] = (await bot.get(`${LIST}?state=all&sort=recentupdate&limit=50`)).json
    expect(found.filter((pull) => pull.head.label === 'renovate/left-pad' && pull.state === 'open')).toHaveLength(1)
    expect((await bot.get(`${LIST}/main/${encodeURIComponent('renovate/left-pad')}`)).json.id).toBe(made.json.id)
    expect((await bot.get(`${AT}/branches/renovate%2Fleft-pad`)).json.commit.id).toBe(head)
    expect((await bot.get(`${AT}/commits/${head}/statuses`)).json).toEqual([])

    const comments = `${AT}/issues/${made.json.number}/comments`
    expect((await bot.get(comments)).json).toEqual([])
    const comment = (await bot.post(comments, { body: 'Changelog' })).json
    expect((await bot.patch(`${AT}/issues/comments/${comment.id}`, { body: 'Changelog, edited' })).status).toBe(200)
    expect((await bot.delete(`${AT}/issues/${made.json.number}/labels/${label}`)).status).toBe(204)
    const edited = await bot.patch(one, { title: 'Update left-pad to 2', body: 'Table 2', base: 'main', state: 'open' })
    expect(edited).toMatchObject({ status: 201, json: { title: 'Update left-pad to 2', labels: [], state: 'open' } })

    const moved = await commitFile(world.wes, { branch: 'renovate/left-pad', path: 'package2.json' })
    await world.server.drain()
    expect((await bot.get(one)).json).toMatchObject({ mergeable: true, head: { sha: moved }, changed_files: 2 })
    expect((await bot.post(`${one}/merge`, { Do: 'squash' })).status).toBe(200)
    expect((await bot.get(one)).json).toMatchObject({ merged: true, state: 'closed' })
    expect((await bot.delete(`${AT}/branches/renovate%2Fleft-pad`)).status).toBe(204)
  })

  it('are listed, commented, labelled and closed as tea does', async () => {
    const tea = world.ann.client
    await commitFile(world.bob, { branch: 'fix', from: 'main', repo: 'bob/app', path: 'fix.txt' })
    const made = await world.bob.client.post(LIST, { head: 'bob:fix', base: 'main', title: 'Fix', body: '' })
    expect(made.status).toBe(201)
    const { number } = made.json
    const open = await tea.get(`${LIST}?page=1&limit=30&state=open`)
    expect(open.json).toMatchObject([{ number, head: { label: 'fix', repo: { full_name: 'bob/app' } } }])
    expect(open.headers.get('x-total-count')).toBe('1')

    expect((await tea.get(`${LIST}/${number}`)).json).toMatchObject({ mergeable: true, user: { login: 'bob' } })
    const merge = await tea.get(`${AT}/commits/${made.json.head.sha}/status`)
    expect(merge).toMatchObject({ status: 200, json: { total_count: 0 } })
    const label = (await tea.post(`${AT}/labels`, { name: 'bug', color: 'ff0000' })).json.id as number
    const issue = `${AT}/issues/${number}`
    expect((await tea.post(`${issue}/labels`, { labels: [label] })).json).toMatchObject([{ name: 'bug' }])
    expect((await tea.post(`${issue}/comments`, { body: 'Thanks' })).status).toBe(201)
    expect((await tea.get(`${issue}/comments`)).json).toMatchObject([{ body: 'Thanks' }])
    expect((await tea.patch(`${LIST}/${number}`, { state: 'closed' })).json.state).toBe('closed')
    expect((await tea.get(`${LIST}?state=open`)).json).toEqual([])
    expect((await tea.patch(`${LIST}/${number}`, { state: 'open' })).json.state).toBe('open')

    expect((await tea.post(`${LIST}/${number}/merge`, { Do: 'merge', MergeTitleField: 'Take the fix' })).status).toBe(
      200,
    )
    expect((await tea.get(`${LIST}/${number}/merge`)).status).toBe(204)
    expect((await tea.get(`${LIST}?state=closed&limit=1`)).json).toMatchObject([{ number, merged: true }])
  })

  it('merge by themselves later, as renovate orders it', async () => {
    const bot = world.wes.client
    await world.ann.client.post(`${AT}/branch_protections`, {
      rule_name: 'main',
      enable_push: true,
      enable_status_check: true,
      status_check_contexts: ['ci'],
    })
    const label = (await bot.get(`${AT}/labels`)).json[0].id as number
    const head = await commitFile(world.wes, { branch: 'renovate/auto', from: 'main', path: 'auto.json' })
    const made = (await bot.post(LIST, { base: 'main', head: 'renovate/auto', title: 'Auto', body: 'Table' })).json
    const one = `${LIST}/${made.number}`
    const issue = `${AT}/issues/${made.number}`
    const scheduled = { Do: 'rebase', merge_when_checks_succeed: true, delete_branch_after_merge: true }
    expect((await bot.post(`${one}/merge`, scheduled)).status).toBe(201)
    expect((await bot.post(`${one}/merge`, scheduled)).status).toBe(409)

    expect((await bot.patch(issue, { assignees: ['wes'] })).json.assignees).toMatchObject([{ login: 'wes' }])
    expect((await bot.post(`${one}/requested_reviewers`, { reviewers: ['ann'] })).status).toBe(201)
    expect((await bot.put(`${issue}/labels`, { labels: [label] })).json).toMatchObject([{ id: label }])
    const comment = (await bot.post(`${issue}/comments`, { body: 'Waiting' })).json.id as number
    expect((await bot.delete(`${AT}/issues/comments/${comment}`)).status).toBe(204)
    expect((await bot.get(`${issue}/comments`)).json).toEqual([])

    const status = { context: 'renovate/stability-days', description: 'Young', state: 'pending' }
    expect((await bot.post(`${AT}/statuses/${head}`, status)).status).toBe(201)
    const statuses = `${AT}/commits/${encodeURIComponent('renovate/auto')}/statuses`
    expect((await bot.get(statuses)).json).toMatchObject([{ context: status.context, status: 'pending' }])
    await world.server.drain()
    expect((await bot.get(one)).json).toMatchObject({ merged: false, requested_reviewers: [{ login: 'ann' }] })
    expect((await bot.post(`${AT}/statuses/${head}`, { context: 'ci', state: 'success' })).status).toBe(201)
    await world.server.drain()
    expect((await bot.get(one)).json).toMatchObject({ merged: true, state: 'closed', assignees: [{ login: 'wes' }] })
    expect((await bot.get(`${AT}/branches/renovate%2Fauto`)).status).toBe(404)
    expect((await world.ann.client.delete(`${AT}/branch_protections/main`)).status).toBe(204)

    const first = await bot.get(`${LIST}?state=all&sort=recentupdate&limit=1&page=1`)
    expect(first.json).toMatchObject([{ number: made.number }])
    const next = /<[^>]*[?]([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]
    expect((await bot.get(`${LIST}?${next}`)).json).toHaveLength(1)
  })

  it('are reviewed, rejected and cleaned up as tea does', async () => {
    const tea = world.ann.client
    await commitFile(world.wes, { branch: 'reviewed', from: 'main' })
    const { json: made } = await world.wes.client.post(LIST, { head: 'reviewed', base: 'main', title: 'Reviewed' })
    const reviews = `${LIST}/${made.number}/reviews`
    const rejected = await tea.post(reviews, { event: 'REQUEST_CHANGES', body: 'Not yet' })
    expect(rejected).toMatchObject({ status: 200, json: { state: 'REQUEST_CHANGES', body: 'Not yet' } })
    expect((await tea.post(reviews, { event: 'APPROVED', body: '' })).json.state).toBe('APPROVED')
    expect((await tea.get(`${reviews}?page=1`)).json.map(({ state }: Any) => state)).toEqual([
      'REQUEST_CHANGES',
      'APPROVED',
    ])
    expect((await tea.patch(`${LIST}/${made.number}`, { state: 'closed' })).json.state).toBe('closed')
    expect((await tea.get(`${LIST}/${made.number}`)).json).toMatchObject({
      head: { ref: 'reviewed', sha: made.head.sha, repo: { ssh_url: expect.any(String) } },
    })
    expect((await tea.delete(`${AT}/branches/reviewed`)).status).toBe(204)
  })

  it.each([
    ['head', { head: 'a\0b' }],
    ['head of another repository', { head: 'bob\0/app:main' }],
    ['head with an option of git', { head: '--upload-pack=x' }],
    ['head with a revision', { head: 'main^{/x}' }],
    ['head with an expression', { head: '@{-1}' }],
    ['head with dots', { head: '../../HEAD' }],
    ['head with a long name', { head: 'x'.repeat(100_000) }],
    ['base', { base: 'main\0' }],
    ['base with a lone surrogate', { base: '\ud800' }],
    ['title', { title: 'x'.repeat(100_000) }],
    ['body', { body: 'x'.repeat(8_000_000) }],
    ['label ids', { labels: [1e300] }],
    ['milestone', { milestone: 2 ** 53 }],
    ['milestone below', { milestone: -(2 ** 60) }],
    ['due date', { due_date: '99999-99-99' }],
    ['assignees', { assignees: ['a\0b'] }],
    ['many assignees', { assignees: Array.from({ length: 5000 }, (_, i) => `u${i}`) }],
  ])('send a hostile %s: refused, never a fault', async (_, body) => {
    const fields = { head: 'bob:main', base: 'main', title: 'Hostile', ...body }
    const { status, text } = await world.wes.client.post(LIST, fields)
    expect(status, text).toBeGreaterThanOrEqual(400)
    expect(status, text).toBeLessThan(500)
  })

  it.each([
    'main/a%00b',
    'a%00b/main',
    'main/%ff',
    `main/${'x'.repeat(5000)}`,
    'main/bob%00:main',
    '?base_branch=a%00b',
    '?poster=a%00b',
    '?labels=99999999999999999999',
    '?milestone=1e300',
    '?milestone=9007199254740993',
  ])('read %s: never a fault', async (rest) => {
    const { status, text } = await world.eve.client.get(rest.startsWith('?') ? LIST + rest : `${LIST}/${rest}`)
    expect(status, text).toBeLessThan(500)
  })
})
