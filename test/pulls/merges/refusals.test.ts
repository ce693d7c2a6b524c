import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, createPull, merge, merged, newPull, PULLS, pullWorld } from './merge-world.ts'

describeOnBoth('refusing to merge', (kind) => {
  const world = pullWorld({ on: kind })
  const rules = '/repos/ann/app/branch_protections'

  it('returns a status and a reason for each refusal', async () => {
    const pull = await newPull(world.wes, 'refused')
    const refusal = async (answer: Promise<{ status: number; json: { message?: string } }>) => {
      const { status, json } = await answer
      return [status, json.message]
    }
    const { number } = pull
    expect(await refusal(merge(world.ann, 999))).toEqual([404, undefined])
    expect(await refusal(merge(world.ann, number, { Do: undefined }))).toEqual([422, '[Do]: Required'])
    expect(await refusal(merge(world.ann, number, { Do: 'octopus' }))).toEqual([422, '[Do]: In'])
    expect(await refusal(merge(world.eve, number))).toEqual([422, 'User not allowed to merge PR'])
    expect((await world.server.anonymous.post(`${PULLS}/${number}/merge`, { Do: 'merge' })).status).toBe(401)
    expect(await refusal(merge(world.ann, number, { head_commit_id: '1'.repeat(40) }))).toEqual([
      409,
      'head out of date',
    ])
    await world.ann.client.patch('/repos/ann/app', { allow_squash_merge: false })
    expect(await refusal(merge(world.ann, number, { Do: 'squash' }))).toEqual([
      422,
      'squash is not allowed an allowed merge style for this repository',
    ])
    await world.ann.client.patch('/repos/ann/app', { allow_squash_merge: true })
    await world.ann.client.patch(`/repos/ann/app/issues/${number}`, { title: 'WIP: refused' })
    expect(await refusal(merge(world.ann, number, { force_merge: true }))).toEqual([
      422,
      'Work in progress PRs cannot be merged',
    ])
    await world.ann.client.patch(`/repos/ann/app/issues/${number}`, { title: 'refused', state: 'closed' })
    expect((await merge(world.ann, number)).status).toBe(404)
  })

  it('refuses conflicts, pull requests without commits and those that depend on open issues', async () => {
    await commitFile(world.wes, { branch: 'clash', from: 'main', path: 'clash.txt', text: 'theirs\n' })
    const early = await createPull(world.wes, { head: 'clash' })
    await commitFile(world.ann, { branch: 'main', path: 'clash.txt', text: 'ours\n' })
    const found = await merge(world.ann, early.number)
    // Before or after the check of the new base.
    expect([409, 422]).toContain(found.status)
    if (found.status === 409)
      expect(found.json).toMatchObject({ Style: 'merge', StdOut: expect.stringContaining('clash.txt') })
    await world.wes.client.post('/repos/ann/app/branches', { new_branch_name: 'same' })
    const same = await createPull(world.wes, { head: 'same' })
    expect((await merge(world.ann, same.number)).json.message).toBe('Please try again later')
    const blocked = await newPull(world.wes, 'blocked')
    const issue = (await world.ann.client.post('/repos/ann/app/issues', { title: 'First' })).json
    const blocker = { owner: 'ann', repo: 'app', index: issue.number }
    await world.ann.client.post(`/repos/ann/app/issues/${blocked.number}/dependencies`, blocker)
    const refused = await merge(world.ann, blocked.number)
    expect([refused.status, refused.json.message]).toEqual([422, 'is blocked by an open dependency'])
    await world.ann.client.patch(`/repos/ann/app/issues/${issue.number}`, { state: 'closed' })
    await merged(world.ann, blocked.number)
  })

  it('lets the users and teams of the bypass list override the protection, unless it binds administrators', async () => {
    const [first, second] = [await newPull(world.wes, 'bypassed'), await newPull(world.wes, 'not-bypassed')]
    const rule = await world.ann.client.post(rules, {
      rule_name: 'main',
      required_approvals: 1,
      bypass_allowlist_usernames: ['wes'],
    })
    expect(rule.json).toMatchObject({
      enable_bypass_allowlist: false,
      bypass_allowlist_usernames: ['wes'],
      bypass_allowlist_teams: [],
    })
    const forced = async () => (await merge(world.wes, first.number, { force_merge: true })).json.message
    expect(await forced(), 'the list is off').toBe('Does not have enough approvals')
    await world.ann.client.patch(`${rules}/main`, { enable_bypass_allowlist: true, block_admin_merge_override: true })
    expect(await forced(), 'bound like administrators').toBe('Does not have enough approvals')
    await world.ann.client.patch(`${rules}/main`, { block_admin_merge_override: false })
    expect((await merge(world.wes, second.number)).json.message).toBe('Does not have enough approvals')
    expect((await merge(world.wes, first.number, { force_merge: true })).status).toBe(200)
    await world.ann.client.patch(`${rules}/main`, { bypass_allowlist_usernames: [] })
    expect((await merge(world.wes, second.number, { force_merge: true })).json.message).toBe(
      'Does not have enough approvals',
    )
    await world.ann.client.delete(`${rules}/main`)
  })

  it('obeys the protection of the base branch, which administrators can override', async () => {
    const pull = await newPull(world.wes, 'guarded')
    const settings = {
      rule_name: 'main',
      enable_push: false,
      required_approvals: 1,
      enable_status_check: true,
      status_check_contexts: ['ci/*'],
    }
    await world.ann.client.post(rules, settings)
    const reason = async (person = world.wes, body = {}) => (await merge(person, pull.number, body)).json.message
    const report = (state: string) =>
      world.wes.client.post(`/repos/ann/app/statuses/${pull.head.sha}`, { state, context: 'ci/build' })
    expect(await reason()).toBe('Not all required status checks successful')
    await report('failure')
    expect(await reason()).toBe('Not all required status checks successful')
    await report('success')
    expect(await reason()).toBe('Does not have enough approvals')
    expect(await reason(world.wes, { force_merge: true })).toBe('Does not have enough approvals')
    await world.ann.client.patch(`${rules}/main`, { block_admin_merge_override: true })
    expect(await reason(world.ann, { force_merge: true })).toBe('Does not have enough approvals')
    await world.ann.client.patch(`${rules}/main`, {
      block_admin_merge_override: false,
      protected_file_patterns: '*.txt',
    })
    await world.ann.client.patch(`${rules}/main`, { required_approvals: 0 })
    expect(await reason()).toBe('Changed protected files')
    await world.ann.client.patch(`${rules}/main`, { protected_file_patterns: '', require_signed_commits: true })
    expect(await reason(world.ann, { force_merge: true })).toBe('wont sign: the server has no key')
    await world.ann.client.patch(`${rules}/main`, { require_signed_commits: false })
    expect((await merge(world.wes, pull.number)).status).toBe(200)
    await world.ann.client.delete(`${rules}/main`)
  })

  it('lets a listed account merge without write access, and no other account', async () => {
    const pull = await newPull(world.wes, 'listed')
    await world.ann.client.put('/repos/ann/app/collaborators/eve', { permission: 'write' })
    await world.ann.client.post(rules, {
      rule_name: 'main',
      enable_merge_whitelist: true,
      merge_whitelist_usernames: ['eve'],
      block_on_outdated_branch: true,
    })
    await world.ann.client.put('/repos/ann/app/collaborators/eve', { permission: 'read' })
    expect((await merge(world.ann, pull.number)).json.message).toBe('User not allowed to merge PR')
    const behind = await world.server.world.user('behind')
    expect((await merge(behind, pull.number)).status).toBe(422)
    await merged(world.eve, pull.number)
    const outdated = await newPull(world.wes, 'outdated')
    await world.ann.client.patch(`${rules}/main`, { enable_push: true })
    await commitFile(world.ann, { branch: 'main', path: 'newer.txt' })
    expect((await merge(world.eve, outdated.number)).json.message).toBe('The head branch is behind the base branch')
    await world.ann.client.delete(`${rules}/main`)
  })

  it('waits for the reviews that the protection requires', async () => {
    const { number } = await newPull(world.wes, 'reviewed')
    await world.ann.client.post(rules, {
      rule_name: 'main',
      required_approvals: 1,
      ignore_stale_approvals: true,
      block_on_official_review_requests: true,
      block_on_rejected_reviews: true,
    })
    const change = (body: object) => world.ann.client.patch(`${rules}/main`, body)
    const reason = async () => (await merge(world.wes, number)).json.message
    const review = async (event: string) =>
      expect((await world.ann.client.post(`${PULLS}/${number}/reviews`, { event, body: event })).status).toBe(200)
    await review('APPROVED')
    await commitFile(world.wes, { branch: 'reviewed', path: 'later.txt' })
    await world.server.drain()
    expect(await reason()).toBe('Does not have enough approvals')
    await change({ required_approvals: 0 })
    const asked = await world.wes.client.post(`${PULLS}/${number}/requested_reviewers`, { reviewers: ['ann'] })
    expect(asked.status).toBe(201)
    expect(await reason()).toBe('There are official review requests')
    await review('REQUEST_CHANGES')
    expect(await reason()).toBe('There are requested changes')
    await change({ required_approvals: 1 })
    await review('APPROVED')
    await merged(world.wes, number)
    await world.ann.client.delete(`${rules}/main`)
  })

  it('refuses in an archived repository', async () => {
    const pull = await newPull(world.wes, 'archived')
    await world.ann.client.patch('/repos/ann/app', { archived: true })
    expect((await merge(world.ann, pull.number)).status).toBe(423)
    expect((await world.ann.client.delete(`${PULLS}/${pull.number}/merge`)).status).toBe(423)
    await world.ann.client.patch('/repos/ann/app', { archived: false })
  })
})
