import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { PASSWORD } from '../../harness/world.ts'
import { comment, createIssue, issueWorld } from '../../issues/issue-world.ts'
import { oracle } from '../../code/code-world.ts'
import type { Any } from '../../harness/client.ts'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  isArray: (name) => name === 'entry' || name === 'item',
})

interface Feed {
  readonly title: string
  readonly self: string
  readonly entries: readonly { readonly title: string; readonly link: string; readonly content: string }[]
}

/** The same members of both formats. */
function readFeed(text: string): Feed {
  expect(XMLValidator.validate(text)).toBe(true)
  const { feed, rss } = parser.parse(text)
  const unescaped = (html: string): string =>
    html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  if (feed !== undefined)
    return {
      title: feed.title,
      self: feed.link.find((link: Any) => link['@rel'] === 'self')['@href'],
      entries: (feed.entry ?? []).map((entry: Any) => ({
        title: unescaped(entry.title['#text']),
        link: entry.link['@href'],
        content: entry.content?.['#text'] ?? '',
      })),
    }
  return {
    title: rss.channel.title,
    self: rss.channel['atom:link']['@href'],
    entries: (rss.channel.item ?? []).map((item: Any) => ({
      title: unescaped(item.title),
      link: item.link,
      content: item['content:encoded'] ?? '',
    })),
  }
}

describeOnBoth('feeds', (on) => {
  const given = issueWorld({ on })

  const open = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(given.server.url + path, { method, headers, redirect: 'manual' })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  const token = async (...scopes: string[]) => ({ authorization: `token ${await given.ann.token(...scopes)}` })

  async function feed(path: string, headers: Record<string, string> = {}): Promise<Feed> {
    const answer = await open(path, headers)
    expect([path, answer.status]).toEqual([path, 200])
    return readFeed(answer.text)
  }

  it('of activity list events with links to pages, in both formats', async () => {
    const { ann, bob, wes, server } = given
    const issue = await createIssue(ann, { title: 'Leak | in the <hull> & deck' })
    const said = await comment(bob, issue.number, { body: 'I see it' })
    const file = { content: btoa('x'), message: 'Add oars\n\nmore', new_branch: 'oars' }
    const commit = (await wes.client.post('/repos/ann/desk/contents/oars', file)).json.commit.sha
    await ann.client.post('/repos/ann/desk/releases', { tag_name: 'v1', name: 'First trip' })
    await server.drain()
    for (const format of ['rss', 'atom']) {
      const { title, self, entries } = await feed(`/ann/desk.${format}`)
      expect([title, self]).toEqual(['Activity in ann/desk', `${server.url}/ann/desk.${format}`])
      const at = (path: string): string => `${server.url}/ann/desk${path}`
      for (const [told, link, content] of [
        [
          `ann opened issue ann/desk#${issue.number}`,
          at(`/issues/${issue.number}`),
          'Leak | in the &lt;hull&gt; &amp; deck',
        ],
        [`bob commented on issue ann/desk#${issue.number}`, said.html_url, 'I see it'],
        ['wes pushed to oars in ann/desk', at(`/commit/${commit}`), 'Add oars'],
        ['wes created branch oars in ann/desk', at('/src/branch/oars'), ''],
        ['ann released First trip of ann/desk', at('/releases/tag/v1'), ''],
        ['ann created repository ann/desk', at(''), ''],
      ] as const) {
        const entry = entries.find((one) => one.title === told)
        expect([told, entry?.link]).toEqual([told, link])
        expect(entry!.content).toContain(content)
        expect([link, (await open(link.slice(server.url.length))).status]).toEqual([link, 200])
      }
      const own = await feed(`/wes.${format}`)
      expect(own.entries.every((entry) => entry.title.startsWith('wes '))).toBe(true)
      expect(own.entries.length).toBeGreaterThan(1)
    }
  })

  it('of releases, tags, branches and files', async () => {
    const { ann, server } = given
    await ann.client.post('/repos/ann/desk/releases', { tag_name: 'v2', name: 'Second', body: 'Notes <b>' })
    await ann.client.post('/repos/ann/desk/releases', { tag_name: 'v3', name: 'Hidden', draft: true })
    const put = async (path: string, text: string) =>
      (
        await ann.client.post(`/repos/ann/desk/contents/${path}`, {
          content: btoa(text),
          message: `Write ${path}`,
          new_branch: 'feat/sail',
        })
      ).json
    await put('a/plan.txt', 'one')
    const at = (path: string): string => `${server.url}/ann/desk${path}`
    for (const format of ['rss', 'atom']) {
      const releases = await feed(`/ann/desk/releases.${format}`, await token('all'))
      expect(releases.entries[0]).toMatchObject({
        title: 'Second',
        link: at('/releases/tag/v2'),
        content: '<pre>Notes &lt;b&gt;</pre>',
      })
      expect(releases.entries.map(({ title }) => title)).not.toContain('Hidden')
      const tags = await feed(`/ann/desk/tags.${format}`)
      expect(tags.entries.find(({ title }) => title === 'v2')!.link).toBe(at('/src/tag/v2'))
      const branch = await feed(`/ann/desk/${format}/branch/feat/sail`)
      expect(branch.entries.map(({ title }) => title)).toEqual(['Write a/plan.txt', 'Initial commit'])
      const file = await feed(`/ann/desk/${format}/branch/feat/sail/a/plan.txt`)
      expect(file.entries.map(({ title }) => title)).toEqual(['Write a/plan.txt'])
      expect((await open(file.entries[0]!.link.slice(server.url.length))).status).toBe(200)
      for (const missing of ['feat/none', 'feat/sail/b.txt', ''])
        expect((await open(`/ann/desk/${format}/branch/${missing}`)).status).toBe(404)
    }
  })

  it('of private repositories are 404 to others, by every kind of credentials', async () => {
    const { ann, bob } = given
    await createIssue(ann, { title: 'Secret' }, 'ann/vault')
    await ann.client.post('/repos/ann/vault/releases', { tag_name: 'v1', name: 'Secret' })
    const basic = (name: string, secret: string) => ({ authorization: `Basic ${btoa(`${name}:${secret}`)}` })
    const paths = ['.rss', '.atom', '/releases.rss', '/tags.atom', '/rss/branch/main', '/atom/branch/main/README.md']
    for (const path of paths.map((rest) => `/ann/vault${rest}`)) {
      for (const headers of [
        basic('ann', PASSWORD),
        basic('ann', await ann.token('read:repository')),
        await token('read:repository'),
      ])
        expect([path, (await open(path, headers)).status]).toEqual([path, 200])
      for (const headers of [{}, basic('bob', PASSWORD), await token('read:issue'), await token('public-only', 'all')])
        expect([path, (await open(path, headers as Record<string, string>)).status]).toEqual([path, 404])
      expect((await open(path, basic('ann', 'wrong'))).status).toBe(401)
    }
    const seen = async (headers: Record<string, string>) =>
      JSON.stringify((await feed('/ann.atom', headers)).entries).includes('ann/vault')
    expect(await seen(await token('read:repository'))).toBe(true)
    for (const headers of [
      {},
      { authorization: `token ${await bob.token('all')}` },
      await token('public-only', 'all'),
      await token('read:issue'),
    ])
      expect(await seen(headers as Record<string, string>)).toBe(false)
  })

  it('of organizations show private repositories to members, and of hidden activity nothing', async () => {
    const { ann, bob, server } = given
    const crew = await server.world.org('crew', { owner: ann })
    await server.world.repo({ owner: crew.org, by: ann, name: 'dock', isPrivate: true, autoInit: true })
    expect((await feed('/crew.rss')).entries).toEqual([])
    expect((await feed('/crew.rss', await token('all'))).entries[0]!.title).toContain('crew/dock')
    await createIssue(bob)
    expect((await feed('/bob.rss')).entries).not.toEqual([])
    await bob.client.patch('/user/settings', { hide_activity: true })
    expect((await feed('/bob.rss')).entries).toEqual([])
    await server.world.user('shy', { visibility: 'private' })
    for (const path of ['/shy.rss', '/nobody.atom', '/ghost.rss', '/ann/none.rss', '/ann/desk/rss/branch/'])
      expect([path, (await open(path)).status]).toEqual([path, 404])
  })

  it('answer 304 for an unchanged feed, HEAD, and the new name of what was renamed', async () => {
    const { ann, server } = given
    await server.world.repo({ owner: ann, name: 'old', autoInit: true, defaultBranch: 'main' })
    for (const [path, type] of [
      ['/ann/old.rss', 'application/rss+xml'],
      ['/ann/old/atom/branch/main', 'application/atom+xml'],
    ] as const) {
      const { headers } = await open(path)
      expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
        `${type}; charset=utf-8`,
        'private, no-cache',
      ])
      const etag = headers.get('etag')!
      const again = await open(path, { 'if-none-match': etag })
      expect([again.status, again.text]).toEqual([304, ''])
      const head = await open(path, {}, 'HEAD')
      expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, etag, ''])
      await createIssue(ann, {}, 'ann/old')
      expect((await open('/ann/old.rss', { 'if-none-match': etag })).status).toBe(200)
    }
    await ann.client.patch('/repos/ann/old', { name: 'new' })
    for (const tail of ['.rss', '/releases.atom', '/rss/branch/main/README.md']) {
      const moved = await open(`/ann/old${tail}`)
      expect([moved.status, moved.headers.get('location')]).toEqual([301, `${server.url}/ann/new${tail}`])
    }
    const admin = await server.world.admin('chief')
    await server.world.user('cyd')
    await admin.client.post('/admin/users/cyd/rename', { new_username: 'dee' })
    const moved = await open('/cyd.atom')
    expect([moved.status, moved.headers.get('location')]).toEqual([307, `${server.url}/dee.atom`])
  })

  it('are well-formed whatever users write, and have 30 entries at most', async () => {
    const { ann, server } = given
    const evil = ']]>]]><evil a="\'">&amp;\u0001'
    const repo = await server.world.repo({ owner: ann, name: 'bad', defaultBranch: 'main' })
    const { path } = server.app.git.open(repo)
    const commits = Array.from({ length: 40 }, (_, n) => {
      const message = `${evil} ${n}`
      return `commit refs/heads/main\ncommitter ${n} &\u0002 <x@y.test> ${n === 39 ? '9999999999999' : n} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`
    })
    oracle(path, ['fast-import', '--quiet', '--date-format=raw-permissive'], commits.join('\n'))
    oracle(path, ['update-ref', `refs/heads/a"'<b>&c`, 'main'])
    await server.app.pushes.reconcile(repo.id)
    await ann.client.patch('/user/settings', { full_name: 'Ann ]]>]]><evil>' })
    await createIssue(ann, { title: evil.replace('\u0001', '') }, 'ann/bad')
    for (const format of ['rss', 'atom']) {
      for (const branch of ['main', encodeURIComponent(`a"'<b>&c`)]) {
        const { entries } = await feed(`/ann/bad/${format}/branch/${branch}`)
        expect(entries).toHaveLength(30)
        expect(entries[0]).toMatchObject({ title: ']]>]]><evil a="\'">&amp; 39' })
      }
      const { entries } = await feed(`/ann/bad.${format}`)
      expect(entries[0]!.content).toContain('&lt;evil')
      expect((await open(`/ann/bad.${format}`)).text).not.toContain('<evil')
    }
  })
})

describeOnBoth('feeds of a server on which all must sign in', (on) => {
  const given = issueWorld({ on, settings: { 'service.require_signin_view': 'true' } })

  it('ask for credentials', async () => {
    const { ann, server } = given
    const answer = await fetch(`${server.url}/ann/desk.rss`)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Ingot"'])
    const headers = { authorization: `Basic ${btoa(`${await ann.token('read:repository')}:`)}` }
    expect((await fetch(`${server.url}/ann/desk.rss`, { headers })).status).toBe(200)
  })
})
