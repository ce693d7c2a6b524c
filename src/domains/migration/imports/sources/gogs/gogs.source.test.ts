import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  allOf,
  type FakeService,
  json,
  locationOf,
  NOW,
  startFakeService,
} from '../../../../../../test/migration/fake-service.ts'
import type { Source } from '../../source.ts'
import { openGogs } from './gogs.source.ts'

const signal = new AbortController().signal
const ALL = { issues: true, pulls: true, after: 0 }
const at = '2020-01-01T00:00:00Z'
const base = '/api/v1/repos/o/n'
let service: FakeService
let source: Source
let warnings: string[]

beforeEach(async () => {
  service = await startFakeService()
  warnings = []
  const warn = (text: string): void => void warnings.push(text)
  source = openGogs(service.deps, locationOf(`${service.url}/o/n.git`, { token: 't0ken', warn }))
})
afterEach(() => service.close())

/** Pages of ten, newest first, without a total. */
function serve(path: string, issues: readonly object[]): void {
  const newest = issues.toReversed()
  for (let page = 1; page <= 64; page++)
    service.routes.set(`${path}&page=${page}&limit=10`, json(newest.slice((page - 1) * 10, page * 10)))
}

describe('a repository of Gogs', () => {
  it('is read with open and closed issues in one order, and their comments', async () => {
    const issue = (number: number, state: string, rest: object = {}) => ({
      number,
      state,
      title: `Issue ${number}`,
      user: { id: 3, login: 'ann' },
      created_at: at,
      updated_at: '2020-02-01T00:00:00Z',
      comments: 0,
      ...rest,
    })
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1)
    const odd = numbers.filter((number) => number % 3 !== 0).map((number) => issue(number, 'open'))
    const closed = numbers
      .filter((number) => number % 3 === 0)
      .map((number) => issue(number, 'closed', number === 30 ? { comments: 2, pull_request: { merged: false } } : {}))
    serve(`${base}/issues?state=open`, odd)
    serve(`${base}/issues?state=closed`, closed)
    const comments = [
      { id: 8, body: 'first', user: { id: 3, login: 'ann' }, created_at: at },
      { id: 9, body: 'second', user: null },
    ]
    service.routes.set(`${base}/issues/30/comments`, json(comments))
    const issues = await allOf(source.issues(0, signal))
    expect(issues.map(({ number }) => number)).toEqual(numbers)
    expect(warnings).toEqual(['pull requests were imported as issues: Gogs does not show their commits'])
    expect(issues[2]).toMatchObject({ isClosed: true, closedAt: Date.UTC(2020, 1, 1), author: { id: 3, login: 'ann' } })
    expect(issues[0]).toMatchObject({ isClosed: false, closedAt: undefined })
    expect((await allOf(source.issues(38, signal))).map(({ number }) => number)).toEqual([39, 40])
    const read = await allOf(source.comments(ALL, signal))
    expect(read).toMatchObject([
      { issue: 30, body: 'first', author: { login: 'ann' } },
      { issue: 30, body: 'second', author: { id: -1, login: 'Ghost' }, createdAt: NOW },
    ])
    expect(await allOf(source.comments({ ...ALL, after: read[0]!.id }, signal))).toEqual([read[1]])
    expect(await allOf(source.comments({ ...ALL, issues: false }, signal))).toEqual([])
  })

  it('is read with labels and milestones, and without what the service lacks', async () => {
    service.routes.set(`${base}`, json({ description: 'Text', website: 'https://x', default_branch: 'main' }))
    service.routes.set(`${base}/labels`, json([{ id: 1, name: 'bug', color: '#ff0000' }]))
    service.routes.set(`${base}/milestones`, json([{ id: 4, title: 'v1', state: 'open', due_on: null }]))
    expect(await source.facts(signal)).toMatchObject({ description: 'Text', website: 'https://x' })
    expect(await allOf(source.labels(signal))).toMatchObject([{ name: 'bug', color: '#ff0000' }])
    expect(await allOf(source.milestones(signal))).toMatchObject([{ key: '4', title: 'v1', isClosed: false }])
    expect(await allOf(source.releases(signal))).toEqual([])
    expect(await allOf(source.pulls(0, signal))).toEqual([])
  })
})
