import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { openPull, requestEntries, requestWorld, reviewersOf } from './request-world.ts'

describeOnBoth('a reviewer who is asked', (kind) => {
  const world = requestWorld({ on: kind })
  const review = async ({ client }: Person, pull: number, event: string, repo = 'ann/app'): Promise<Any> => {
    const answer = await client.post(`/repos/${repo}/pulls/${pull}/reviews`, { event, body: 'Seen' })
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
    return answer.json
  }
  const ask = (pull: number, body: object, repo = 'ann/app', by = world.wes) =>
    by.client.post(`/repos/${repo}/pulls/${pull}/requested_reviewers`, body)
  const withdraw = (pull: number, body: object) =>
    world.wes.client.delete(`/repos/ann/app/pulls/${pull}/requested_reviewers`, body)
  /** Reviewer, state and whether it is official, in order. */
  const reviews = async (pull: number, repo = 'ann/app'): Promise<unknown[]> =>
    (await world.eve.client.get(`/repos/${repo}/pulls/${pull}/reviews`)).json.map(
      ({ user, team, state, official }: Any) => [user?.login ?? team.name, state, official],
    )

  it('again keeps the reviews, which do not count until the next review', async () => {
    const { number } = await openPull(world.wes, 'again', { reviewers: ['ann'] })
    await review(world.ann, number, 'APPROVED')
    expect(await reviews(number)).toEqual([['ann', 'APPROVED', true]])
    expect((await ask(number, { reviewers: ['ann'] })).json).toMatchObject([
      { state: 'REQUEST_REVIEW', official: true },
    ])
    expect(await reviews(number)).toEqual([
      ['ann', 'APPROVED', false],
      ['ann', 'REQUEST_REVIEW', true],
    ])
    expect(await reviewersOf(world.eve, number)).toEqual(['ann'])
    expect((await ask(number, { reviewers: ['ann'] })).json).toEqual([])
    await review(world.ann, number, 'REQUEST_CHANGES')
    expect(await reviews(number)).toEqual([
      ['ann', 'APPROVED', false],
      ['ann', 'REQUEST_CHANGES', true],
    ])
  })

  it('and withdrawn: the earlier review counts again', async () => {
    const { number } = await openPull(world.wes, 'back')
    await review(world.ann, number, 'APPROVED')
    await ask(number, { reviewers: ['ann'] })
    expect((await withdraw(number, { reviewers: ['ann'] })).status).toBe(204)
    expect(await reviews(number)).toEqual([['ann', 'APPROVED', true]])
    expect(await requestEntries(world.eve, number)).toEqual([
      ['wes', 'ann'],
      ['wes', 'ann', 'removed'],
    ])
  })

  it('without write permission keeps unofficial reviews', async () => {
    const { number } = await openPull(world.wes, 'unofficial')
    await review(world.eve, number, 'APPROVED')
    expect((await ask(number, { reviewers: ['eve'] })).json).toMatchObject([{ official: false }])
    await withdraw(number, { reviewers: ['eve'] })
    expect(await reviews(number)).toEqual([['eve', 'APPROVED', false]])
  })

  it('cannot be requested again after it is closed, but a first time', async () => {
    const { number } = await openPull(world.wes, 'closed')
    await review(world.ann, number, 'APPROVED')
    await world.wes.client.patch(`/repos/ann/app/pulls/${number}`, { state: 'closed' })
    expect((await ask(number, { reviewers: ['ann'] })).status).toBe(403)
    expect((await ask(number, { reviewers: ['eve'] })).status).toBe(201)
    expect((await withdraw(number, { reviewers: ['eve'] })).status).toBe(204)
    expect(await reviewersOf(world.eve, number)).toEqual(['ann'])
  })

  it('fulfils the request by a review of any kind, and that of a team by a decision', async () => {
    const { ann, wes, eve } = world
    const { number } = await openPull(ann, 'answers', {
      repo: 'acme/lib',
      reviewers: ['eve'],
      team_reviewers: ['core'],
    })
    await review(eve, number, 'COMMENT', 'acme/lib')
    expect(await reviews(number, 'acme/lib')).toEqual([
      ['core', 'REQUEST_REVIEW', false],
      ['eve', 'COMMENT', false],
    ])
    await review(wes, number, 'APPROVED', 'acme/lib')
    expect(await reviews(number, 'acme/lib')).toEqual([
      ['eve', 'COMMENT', false],
      ['wes', 'APPROVED', true],
    ])
    const { json } = await eve.client.get(`/repos/acme/lib/pulls/${number}`)
    expect(json.requested_reviewers.map(({ login }: Any) => login)).toEqual(['eve', 'wes'])
    expect(json.requested_reviewers_teams).toEqual([])
    expect(json.review_comments).toBe(2)
  })

  it('is official by the protection of the base branch', async () => {
    const { ann, wes } = world
    const { number } = await openPull(wes, 'ruled', { repo: 'acme/lib' })
    const rule = {
      rule_name: 'main',
      enable_push: true,
      enable_approvals_whitelist: true,
      approvals_whitelist_username: ['eve'],
      approvals_whitelist_teams: ['core'],
    }
    expect((await ann.client.post('/repos/acme/lib/branch_protections', rule)).status).toBe(201)
    const official = async (body: object, pull = number): Promise<unknown> => {
      const { json } = await ask(pull, body, 'acme/lib')
      return json.map((each: Any) => [each.user?.login ?? each.team.name, each.official])
    }
    expect(await official({ reviewers: ['eve', 'ann'], team_reviewers: ['core', 'others'] })).toEqual([
      ['eve', true],
      ['ann', false],
      ['core', true],
      ['others', false],
    ])
    const edit = { enable_approvals_whitelist: false }
    expect((await ann.client.patch('/repos/acme/lib/branch_protections/main', edit)).status).toBe(200)
    const other = await openPull(wes, 'unlisted', { repo: 'acme/lib' })
    expect(await official({ reviewers: ['eve', 'ann'], team_reviewers: ['core', 'others'] }, other.number)).toEqual([
      ['eve', false],
      ['ann', true],
      ['core', true],
      ['others', false],
    ])
  })

  it('by CODEOWNERS is not requested again after a review', async () => {
    const { ann, wes, server } = world
    const { number } = await openPull(wes, 'reviewed')
    await review(world.eve, number, 'COMMENT')
    const put = (path: string, branch: string, text: string, person: Person) =>
      person.client.post(`/repos/ann/app/contents/${path}`, {
        content: Buffer.from(text).toString('base64'),
        message: path,
        branch,
      })
    expect((await put('CODEOWNERS', 'main', '.* @eve @ann', ann)).status).toBe(201)
    expect((await put('more.txt', 'reviewed', 'more', wes)).status).toBe(201)
    await server.drain()
    expect(await requestEntries(world.eve, number)).toEqual([['wes', 'ann']])
  })
})
