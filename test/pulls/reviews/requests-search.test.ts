import { beforeAll, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { insertReview } from '../../../src/domains/pulls/reviews/records/review.store.ts'
import { openPull, requestWorld } from './request-world.ts'

describeOnBoth('the search for reviews', (kind) => {
  const world = requestWorld({ on: kind })
  const search = async ({ client }: Person, query: string): Promise<string[]> => {
    const answer = await client.get(`/repos/issues/search?${query}`)
    expect(Number(answer.headers.get('x-total-count'))).toBe(answer.json.length)
    return answer.json.map(({ title }: Any) => title)
  }

  beforeAll(async () => {
    const { ann, wes } = world
    await openPull(wes, 'asked', { reviewers: ['eve', 'ann'] })
    await openPull(wes, 'nobody')
    await openPull(ann, 'team', { repo: 'acme/lib', team_reviewers: ['core'] })
    await openPull(ann, 'both', { repo: 'acme/lib', reviewers: ['wes', 'eve'], team_reviewers: ['core'] })
    await openPull(wes, 'own', { repo: 'acme/lib', team_reviewers: ['core'] })
    await openPull(ann, 'hidden', { repo: 'acme/secret', reviewers: ['bob'] })
  })

  it('finds pull requests with a request for the caller or its team, once, but not its own', async () => {
    expect(await search(world.eve, 'review_requested=true')).toEqual(['both', 'asked'])
    expect(await search(world.ann, 'review_requested=true')).toEqual(['asked'])
    expect(await search(world.wes, 'review_requested=true')).toEqual(['both', 'team'])
    expect(await search(world.bob, 'review_requested=true')).toEqual(['hidden'])
  })

  it('combines with other filters and pages, equally on both databases', async () => {
    expect(await search(world.eve, 'review_requested=true&owner=acme')).toEqual(['both'])
    expect(await search(world.eve, 'review_requested=true&q=ask')).toEqual(['asked'])
    expect(await search(world.eve, 'review_requested=true&created=true')).toEqual([])
    expect(await search(world.eve, 'review_requested=true&created_by=wes')).toEqual(['asked'])
    expect(await search(world.eve, 'review_requested=true&type=issues')).toEqual([])
    expect(await search(world.eve, 'review_requested=true&state=closed')).toEqual([])
    const page = await world.eve.client.get('/repos/issues/search?review_requested=true&limit=1&page=2')
    expect([page.json[0].title, page.headers.get('x-total-count')]).toEqual(['asked', '2'])
  })

  it('finds drafts, and pull requests that are not drafts, in all repositories and in one', async () => {
    const { wes, ann } = world
    const { number } = await openPull(wes, 'half')
    const path = `/repos/ann/app/pulls/${number}`
    expect((await wes.client.patch(path, { title: 'WIP: half' })).status).toBe(201)
    expect((await ann.client.post('/repos/ann/app/issues', { title: 'WIP: an issue' })).status).toBe(201)
    expect(await search(wes, 'draft=true')).toEqual(['WIP: half'])
    expect(await search(wes, 'draft=true&type=issues')).toEqual([])
    expect(await search(wes, 'draft=false&owner=ann')).toEqual(['nobody', 'asked'])
    const ofRepo = async (query: string) =>
      (await wes.client.get(`/repos/ann/app/issues?${query}`)).json.map(({ title }: Any) => title)
    expect(await ofRepo('draft=true')).toEqual(['WIP: half'])
    expect(await ofRepo('draft=false&state=all')).toEqual(['nobody', 'asked'])
    expect((await wes.client.patch(path, { title: 'done' })).status).toBe(201)
    expect(await search(wes, 'draft=true')).toEqual([])
    expect(await ofRepo('draft=false')).toEqual(['done', 'nobody', 'asked'])
    expect((await wes.client.patch(path, { state: 'closed' })).status).toBe(201)
  })

  it('does not find withdrawn requests, hidden or closed pull requests', async () => {
    const { ann, bob, eve, wes } = world
    const { number } = await openPull(wes, 'changes', { reviewers: ['eve'] })
    expect(await search(eve, 'review_requested=true')).toEqual(['changes', 'both', 'asked'])
    expect((await wes.client.patch(`/repos/ann/app/pulls/${number}`, { state: 'closed' })).status).toBe(201)
    expect(await search(eve, 'review_requested=true')).toEqual(['both', 'asked'])
    expect(await search(eve, 'review_requested=true&state=closed')).toEqual(['changes'])
    const { json: teams } = await ann.client.get('/orgs/acme/teams')
    const others = teams.find(({ name }: Any) => name === 'others').id
    expect((await ann.client.delete(`/teams/${others}/members/bob`)).status).toBe(204)
    expect(await search(bob, 'review_requested=true')).toEqual([])
  })

  it('finds pull requests that the caller has reviewed, once, and not its own', async () => {
    const { eve, wes, server } = world
    const at = server.app.clock.now()
    const { number, id } = await openPull(wes, 'reviewed')
    const { id: issueId } = (await wes.client.get(`/repos/ann/app/issues/${number}`)).json
    const add = (person: Person, reviewKind: string) =>
      server.app.database.transaction((tx) =>
        insertReview(tx, {
          pull_id: id,
          issue_id: issueId,
          kind: reviewKind,
          reviewer_id: person.user.id,
          created_at: at,
          updated_at: at,
        }),
      )
    await add(eve, 'pending')
    expect(await search(eve, 'reviewed=true')).toEqual([])
    for (const reviewKind of ['comment', 'approved', 'rejected']) await add(eve, reviewKind)
    await add(wes, 'comment')
    expect(await search(eve, 'reviewed=true')).toEqual(['reviewed'])
    expect(await search(eve, 'reviewed=true&review_requested=true')).toEqual([])
    expect(await search(wes, 'reviewed=true')).toEqual([])
  })
})
