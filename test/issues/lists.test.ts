import { describe, expect, it } from 'vitest'
import type { Any, Response } from '../harness/client.ts'
import { rows } from '../harness/expect.ts'
import { statementsOf } from '../harness/statements.ts'
import { createIssue, issueWorld } from './issue-world.ts'

const totalOf = (answer: Response<Any>): string | null => answer.headers.get('x-total-count')

describe('lists of issues', () => {
  const given = issueWorld()
  const numbers = (answer: { readonly json: readonly { readonly number: number }[] }): number[] =>
    answer.json.map(({ number }) => number)

  it('filter by labels, milestones, people, texts and numbers', async () => {
    const { ann, bob, server } = given
    const label = async (name: string): Promise<number> =>
      (await ann.client.post('/repos/ann/desk/labels', { name, color: '#aabbcc' })).json.id
    const [bug, ui] = [await label('bug'), await label('ui')]
    const milestone = (await ann.client.post('/repos/ann/desk/milestones', { title: 'v1' })).json.id
    await createIssue(ann, { title: 'Kettle leaks', labels: [bug, ui], milestone, assignees: ['wes'] })
    await createIssue(ann, { title: 'Toaster', body: 'as the kettle', labels: [bug] })
    await createIssue(bob, { title: 'Kettle hums', closed: true })
    const list = async (query: string) => numbers(await server.anonymous.get(`/repos/ann/desk/issues?${query}`))
    expect(await list('')).toEqual([2, 1])
    expect(await list('state=all')).toEqual([3, 2, 1])
    expect(await list('labels=bug,ui')).toEqual([1])
    expect(await list('labels=Bug')).toEqual([2, 1])
    expect(await list(`milestones=missing,${milestone}`)).toEqual([1])
    expect(await list('created_by=bob&state=closed')).toEqual([3])
    expect(await list('assigned_by=wes')).toEqual([1])
    expect(await list('q=KETTLE%20the')).toEqual([2])
    expect(await list('q=kettle&state=all&sort=oldest')).toEqual([1, 2, 3])
    expect(await list('q=2')).toEqual([2])
    expect(await list('q=%232')).toEqual([])
    expect(await list('type=pulls')).toEqual([])
  })

  it('return the total and links, and 404 for logins that do not exist', async () => {
    const { server } = given
    const answer = await server.anonymous.get('/repos/ann/desk/issues?state=all&limit=2&page=2')
    expect(answer.headers.get('x-total-count')).toBe('3')
    expect(answer.headers.get('link')).toContain('rel="prev"')
    for (const member of ['created_by', 'assigned_by', 'mentioned_by'])
      expect((await server.anonymous.get(`/repos/ann/desk/issues?${member}=missing`)).status).toBe(404)
    expect((await server.anonymous.get('/repos/ann/desk/issues?since=yesterday')).status).toBe(422)
  })

  it('of an empty repository have issues, and no pull requests', async () => {
    const { ann, server } = given
    await server.world.repo({ owner: ann, name: 'blank' })
    await createIssue(ann, {}, 'ann/blank')
    expect(numbers(await server.anonymous.get('/repos/ann/blank/issues'))).toEqual([1])
    expect(numbers(await server.anonymous.get('/repos/ann/blank/issues?type=pulls'))).toEqual([])
  })

  it('find the current texts of comments', async () => {
    const { ann, server } = given
    const find = async (q: string) => numbers(await server.anonymous.get(`/repos/ann/desk/issues?q=${q}`))
    const comment = (await ann.client.post('/repos/ann/desk/issues/2/comments', { body: 'A samovar' })).json
    expect(await find('samovar')).toEqual([2])
    expect(await find('samovar%20toaster')).toEqual([])
    await ann.client.patch(`/repos/ann/desk/issues/comments/${comment.id}`, { body: 'A percolator' })
    expect([await find('samovar'), await find('percolator')]).toEqual([[], [2]])
    await ann.client.delete(`/repos/ann/desk/issues/comments/${comment.id}`)
    expect(await find('percolator')).toEqual([])
  })

  it.each([{ step: 'while texts wait for the index' }, { step: 'when texts are in the index', settle: true }])(
    'find no text that was changed or deleted, $step',
    async ({ settle = false }) => {
      const { ann, server } = given
      const waiting = async (): Promise<number> => (await rows(server, 'issue_text', { is_indexed: 0 })).length
      const total = async (q: string): Promise<string | null> => {
        if (settle) await server.drain()
        const answers = [await ann.client.get(`/repos/issues/search?q=${q}`)]
        answers.push(await ann.client.get(`/repos/ann/desk/issues?state=all&q=${q}`))
        expect(answers.map((answer) => answer.json.length)).toEqual(answers.map((answer) => Number(totalOf(answer))))
        expect(totalOf(answers[1]!)).toBe(totalOf(answers[0]!))
        return totalOf(answers[0]!)
      }
      await server.drain()
      expect(await waiting()).toBe(0)
      const { number } = await createIssue(ann, { title: 'Unmistakable', body: 'Quetzal' })
      expect(await waiting()).toBe(2)
      expect([await total('unmistakable'), await total('quetzal')]).toEqual(['1', '1'])
      expect(await waiting()).toBe(settle ? 0 : 2)
      await ann.client.patch(`/repos/ann/desk/issues/${number}`, { title: 'Else', body: 'Zanzibar' })
      expect([await total('unmistakable'), await total('quetzal'), await total('zanzibar')]).toEqual(['0', '0', '1'])
      const long = `Yokohama ${'and a long way '.repeat(700)}`
      await ann.client.patch(`/repos/ann/desk/issues/${number}`, { body: long })
      expect([await total('zanzibar'), await total('yokohama')]).toEqual(['0', '1'])
      await ann.client.delete(`/repos/ann/desk/issues/${number}`)
      expect(await total('yokohama')).toBe('0')
    },
  )

  it('find texts that take several batches to index', async () => {
    const { ann, server } = given
    const { id, number } = await createIssue(ann, { title: 'Many' })
    const row = (part: number) => ({
      issue_id: id,
      part,
      repo_id: 0,
      text: `bratwurst ${part}`,
      is_indexed: 0 as const,
    })
    const texts = Array.from({ length: 150 }, (_, i) => row(i + 1))
    await server.app.database.transaction((tx) => tx.insertInto('issue_text').values(texts).execute())
    await server.drain()
    expect(await rows(server, 'issue_text', { is_indexed: 0 })).toEqual([])
    await ann.client.delete(`/repos/ann/desk/issues/${number}`)
  })

  it('merge parts of the index only when there are several', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann, { title: 'First text' })
    await server.drain()
    const sent = await statementsOf(server.app.database, async () => {
      for (const title of ['Second text', 'Third text', 'Fourth text']) {
        await ann.client.patch(`/repos/ann/desk/issues/${number}`, { title })
        await server.drain()
      }
    })
    const merges = sent.filter((text) => text.includes("'merge'"))
    // One merge in each batch finds how many there are, and one more follows those that merge some.
    expect(merges.length).toBeGreaterThanOrEqual(3)
    expect(merges.length).toBeLessThan(6)
    await ann.client.delete(`/repos/ann/desk/issues/${number}`)
  })

  it('continue behind a cursor while issues are created', async () => {
    const { ann, server } = given
    const read = (cursor: string) => server.anonymous.get(`/repos/ann/desk/issues?state=all&limit=2&cursor=${cursor}`)
    const first = await read('start')
    expect(numbers(first)).toEqual([3, 2])
    expect(first.headers.get('link')).toBeNull()
    expect(first.headers.get('x-total-count')).toBe('3')
    const created = await createIssue(ann, { title: 'In between' })
    const second = await read(first.headers.get('x-next-cursor')!)
    expect(numbers(second)).toEqual([1])
    expect(second.headers.get('x-next-cursor')).toBeNull()
    await ann.client.delete(`/repos/ann/desk/issues/${created.number}`)
  })

  it('reject forged cursors and other orders', async () => {
    const { server } = given
    for (const query of ['cursor=1', 'cursor=%00', `cursor=${'a'.repeat(300)}`, 'cursor=start&sort=mostcomment'])
      expect((await server.anonymous.get(`/repos/ann/desk/issues?${query}`)).status, query).toBe(422)
    expect((await server.anonymous.get('/repos/issues/search?cursor=zzzz')).status).toBe(422)
  })
})

describe('the search over all repositories', () => {
  const given = issueWorld()
  const titles = (answer: { readonly json: readonly { readonly title: string }[] }): string[] =>
    answer.json.map(({ title }) => title)

  it('finds issues of the repositories that the requester may see', async () => {
    const { ann, bob, server } = given
    await createIssue(ann, { title: 'Open kettle' })
    await createIssue(ann, { title: 'Hidden kettle' }, 'ann/vault')
    for (const path of ['/repos/issues/search', '/repos/issues']) {
      expect(titles(await ann.client.get(`${path}?q=kettle`))).toEqual(['Hidden kettle', 'Open kettle'])
      for (const client of [bob.client, server.anonymous]) {
        const answer = await client.get(`${path}?q=kettle`)
        expect(titles(answer)).toEqual(['Open kettle'])
        expect(answer.headers.get('x-total-count')).toBe('1')
      }
    }
    expect((await server.anonymous.get('/repos/issues/search')).headers.get('x-total-count')).toBe('1')
    expect((await ann.client.get('/repos/issues/search?created=true')).headers.get('x-total-count')).toBe('2')
  })

  it('does not reveal whether labels of hidden repositories exist', async () => {
    const { ann, server } = given
    await ann.client.post('/repos/ann/vault/labels', { name: 'secret', color: '#aabbcc' })
    const unknown = await server.anonymous.get('/repos/issues/search?labels=unknown')
    expect(titles(unknown)).toEqual(['Open kettle'])
    expect((await server.anonymous.get('/repos/issues/search?labels=secret')).json).toEqual(unknown.json)
    expect((await ann.client.get('/repos/issues/search?labels=secret')).json).toEqual([])
  })

  it('filters by an owner and its team, which only members see', async () => {
    const { ann, bob, server } = given
    const { org } = await server.world.org('acme', { owner: ann })
    await server.world.repo({ owner: org, by: ann, name: 'shop', isPrivate: true, autoInit: true })
    await createIssue(ann, { title: 'For the team' }, 'acme/shop')
    const search = (query: string, person = ann) => person.client.get(`/repos/issues/search?${query}`)
    expect(titles(await search('owner=acme&team=Owners'))).toEqual(['For the team'])
    expect(titles(await search('owner=acme', bob))).toEqual([])
    expect((await search('owner=acme&team=Owners', bob)).status).toBe(400)
    expect((await search('owner=acme&team=missing')).json.message).toContain('team does not exist')
    expect((await search('team=Owners')).json.message).toBe('owner organisation is required for filtering on team')
    expect((await search('owner=missing')).json.message).toBe('user does not exist [uid: 0, name: missing]')
    expect((await search('created_by=missing')).status).toBe(404)
  })

  it('finds no reviews in an empty list, and ignores the filters for anonymous requests', async () => {
    const { ann, server } = given
    for (const member of ['review_requested', 'reviewed'])
      expect((await ann.client.get(`/repos/issues/search?${member}=true`)).json).toEqual([])
    expect(titles(await server.anonymous.get('/repos/issues/search?reviewed=true'))).toEqual(['Open kettle'])
  })
})
