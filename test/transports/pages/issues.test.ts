import { expect, it } from 'vitest'
import { accessibilityProblems } from '../../harness/accessible.ts'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { comment, createIssue, issueWorld } from '../../issues/issue-world.ts'

const HOSTILE = `"'><script>x</script><img src=x alt=x onerror=x>`

describeOnBoth('pages of issues and pull requests', (on) => {
  const given = issueWorld({ on })

  async function open(address: string, person?: Person): Promise<{ status: number; text: string }> {
    const url = address.startsWith('http') ? address : given.server.url + address
    const headers: Record<string, string> = person ? { authorization: `token ${await person.token('all')}` } : {}
    const answer = await fetch(url, { headers })
    return { status: answer.status, text: await answer.text() }
  }

  async function post(person: Person, path: string, body: object): Promise<Any> {
    const answer = await person.client.post(`/repos/ann/desk${path}`, body)
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.json
  }

  async function pull(branch: string, title: string, text: string): Promise<Any> {
    await post(given.ann, `/contents/${branch}.txt`, { content: btoa(text), branch: 'main', new_branch: branch })
    return post(given.ann, '/pulls', { head: branch, base: 'main', title })
  }

  const placesOf = (text: string, parts: readonly string[]): number[] => parts.map((part) => text.indexOf(part))

  it('show an issue with its fields, its comments and what happened to it', async () => {
    const { ann, bob } = given
    const label = await post(ann, '/labels', { name: `red ${HOSTILE}`, color: '#ff0000' })
    const milestone = await post(ann, '/milestones', { title: 'Spring' })
    const other = await createIssue(ann, { title: 'Another' })
    const issue = await createIssue(ann, {
      title: `Leaks ${HOSTILE}`,
      body: `**wet**\nfeet ${HOSTILE}`,
      labels: [label.id],
      milestone: milestone.id,
      assignees: ['wes'],
      due_date: '2030-01-02T00:00:00Z',
    })
    const said = await comment(bob, issue.number, { body: `see #${other.number} ${HOSTILE}` })
    await ann.client.patch(`/repos/ann/desk/issues/${issue.number}`, { title: 'Leaks', state: 'closed' })
    await ann.client.put(`/repos/ann/desk/issues/${issue.number}/lock`, { lock_reason: 'spam' })
    await comment(ann, other.number, { body: `caused by #${issue.number}` })
    const { status, text } = await open(issue.html_url)
    expect(status).toBe(200)
    expect(text).not.toMatch(/<script|onerror=x>/)
    const parts = [
      '<h1>',
      'Leaks #',
      '<dd>closed',
      '<span class="label">red &quot;',
      'Spring</a>',
      'wes</a>',
      '<strong>wet</strong><br',
      'added the label',
      `<article id="issuecomment-${said.id}">`,
      `href="${other.html_url}"`,
      'changed the title from “Leaks &quot;',
      'closed this',
      'locked this: spam',
      'Another</a> ann/desk#',
    ]
    const places = placesOf(text, parts)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
    expect(await accessibilityProblems(text)).toEqual([])
  })

  it('list issues and pull requests by state', async () => {
    const { ann } = given
    const [first, second] = [await createIssue(ann, { title: 'Stays open' }), await createIssue(ann, { title: 'Ends' })]
    await ann.client.patch(`/repos/ann/desk/issues/${second.number}`, { state: 'closed' })
    const request = await pull('listed', 'A request', 'x\n')
    const { text } = await open('/ann/desk/issues')
    expect([text.includes(`/issues/${first.number}"`), text.includes('Ends'), text.includes('A request')]).toEqual([
      true,
      false,
      false,
    ])
    expect((await open('/ann/desk/issues?state=closed')).text).toContain('Ends')
    const pulls = (await open('/ann/desk/pulls')).text
    expect([pulls.includes(`/pulls/${request.number}"`), pulls.includes('Stays open')]).toEqual([true, false])
    for (const page of [text, pulls]) expect(await accessibilityProblems(page)).toEqual([])
  })

  it('give the address of every comment a target, also of those on later pages', async () => {
    const { ann } = given
    const issue = await createIssue(ann, { title: 'Long' })
    const said: Any[] = []
    for (let n = 0; n < 53; n++) said.push(await comment(ann, issue.number, { body: `words ${n}.` }))
    const first = (await open(issue.html_url)).text
    for (const { html_url: url } of said) expect(first).toContain(`id="${url.split('#')[1]}"`)
    expect([first.includes('words 49.'), first.includes('words 50.')]).toEqual([true, false])
    const target = `issuecomment-${said[51].id}`
    expect(first).toContain(`href="?page=2#${target}"`)
    const second = (await open(`${issue.html_url}?page=2`)).text
    expect(second).toContain(`<article id="${target}">`)
    expect([second.includes('words 52.'), second.includes('words 49.')]).toEqual([true, false])
    expect(await accessibilityProblems(first)).toEqual([])
  })

  it('show a pull request with its reviews, their comments, its commits and its files', async () => {
    const { wes, bob } = given
    const request = await pull('oars', `Oars ${HOSTILE}`, `one\n<script>two\n`)
    const path = `/pulls/${request.number}`
    const words = { path: 'oars.txt', body: `why **two**? ${HOSTILE}`, new_position: 2 }
    const review = await post(wes, `${path}/reviews`, { event: 'REQUEST_CHANGES', body: 'Almost', comments: [words] })
    const [asked] = (await wes.client.get(`/repos/ann/desk${path}/reviews/${review.id}/comments`)).json
    const draft = await post(bob, `${path}/reviews`, { body: 'Draft', comments: [{ ...words, body: 'not yet said' }] })
    const [pending] = (await bob.client.get(`/repos/ann/desk${path}/reviews/${draft.id}/comments`)).json
    const page = await open(asked.html_url)
    const parts = ['Oars &quot;', '<code>oars</code> into <code>main</code>', 'Changes requested.', 'Almost']
    const places = placesOf(page.text, [...parts, `<article id="issuecomment-${asked.id}">`, 'oars.txt</code>, line 2'])
    expect([...places, page.text.indexOf('+&lt;script&gt;two')].every((place) => place > 0)).toBe(true)
    expect(page.text).toContain('why <strong>two</strong>?')
    expect(page.text).not.toMatch(/<script|onerror=x>|not yet said/)
    expect((await open(`${request.html_url}/commits`)).text).toContain('/commit/')
    const files = (await open(`${request.html_url}/files`)).text
    expect(files).toContain('<ins>+one\n+&lt;script&gt;two\n</ins>')
    expect(files).not.toContain('not yet said')
    const own = (await open(pending.html_url, bob)).text
    expect(own).toContain(`<article id="issuecomment-${pending.id}">`)
    expect(own).toContain('not yet said')
    for (const text of [page.text, files, own]) expect(await accessibilityProblems(text)).toEqual([])
  })

  it('show the files of a large pull request in pages, with a diff of limited size', async () => {
    const { ann } = given
    const files = Array.from({ length: 60 }, (_, n) => ({
      operation: 'create',
      path: `many/${String(n).padStart(2, '0')}.txt`,
      content: btoa(n === 0 ? 'x\n'.repeat(400_000) : `file ${n}\n`),
    }))
    await post(ann, '/contents', { branch: 'main', new_branch: 'many', files })
    const request = await post(ann, '/pulls', { head: 'many', base: 'main', title: 'Many' })
    const first = (await open(`${request.html_url}/files`)).text
    expect(first).toContain('Files changed: 60')
    expect([first.includes('many/49.txt'), first.includes('many/50.txt')]).toEqual([true, false])
    expect(first.length).toBeLessThan(700_000)
    expect(first).toContain('The rest is in the')
    const second = (await open(`${request.html_url}/files?page=2`)).text
    expect([second.includes('+file 59'), second.includes('+file 49'), second.includes('The rest')]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('answer 404 to users who may not read them', async () => {
    const { ann, bob } = given
    const issue = await createIssue(ann, { title: 'Secret' }, 'ann/vault')
    expect([(await open(issue.html_url, ann)).status, (await open(issue.html_url, bob)).status]).toEqual([200, 404])
    for (const path of ['/issues', '/pulls', '/issues/1', '/pulls/1'])
      expect([path, (await open(`/ann/vault${path}`)).status]).toEqual([path, 404])
    for (const path of ['/issues/9999', '/pulls/9999', '/issues/1/files', '/issues/x', '/pulls/1/nothing'])
      expect([path, (await open(`/ann/desk${path}`)).status]).toEqual([path, 404])
  })
})
