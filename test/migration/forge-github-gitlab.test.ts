import { describe, expect, it } from 'vitest'
import { answers, bytesOf, documentedForge, releasesOf } from './forge-world.ts'
import { migrate } from './import-world.ts'

describe('imports from GitHub and GitLab', () => {
  const given = documentedForge()

  it('read GitHub without sending credentials to its file storage', async () => {
    const elsewhere = given.upstream.url.replace('127.0.0.1', 'localhost')
    const base = 'GET /api/v3/repos/octo/app'
    const asset = (id: number, state = 'uploaded') => ({
      id,
      name: `file${id}.txt`,
      state,
      size: 4,
      download_count: 7,
      created_at: '2020-01-02T03:04:05Z',
      url: `${given.upstream.url}/api/v3/repos/octo/app/releases/assets/${id}`,
      browser_download_url: `${given.upstream.url}/octo/app/releases/download/v1/file${id}.txt`,
    })
    const release = {
      tag_name: 'v1',
      target_commitish: 'main',
      name: 'One',
      body: 'text\u0000',
      draft: false,
      prerelease: false,
      created_at: '2019-01-01T00:00:00Z',
      published_at: '2020-01-01T00:00:00Z',
      assets: [asset(1), asset(2, 'starter')],
    }
    given.upstream.routes.set(
      base,
      answers({ description: null, homepage: 'https://octo.example', topics: ['one', 'Not Valid!'] }),
    )
    given.upstream.routes.set(
      `${base}/releases?page=1&per_page=100`,
      answers([release], { link: `<${given.upstream.url}/api/v3/repositories/7/releases?page=2>; rel="next"` }),
    )
    given.upstream.routes.set(
      'GET /api/v3/repositories/7/releases?page=2',
      answers([{ tag_name: 'gone', name: '', draft: false }, { tag_name: 'bad name' }, { tag_name: 'V1' }], {
        link: `<${given.upstream.url}/api/v3/x?page=1>; rel="prev"`,
      }),
    )
    given.upstream.routes.set(`${base}/releases/assets/1`, (request, response) => {
      expect(request.headers).toMatchObject({ accept: 'application/octet-stream', authorization: 'Bearer t0ken' })
      response.writeHead(302, { location: `${elsewhere}/store/1` }).end()
    })
    given.upstream.routes.set('GET /store/1', (request, response) => {
      expect(request.headers.authorization).toBeUndefined()
      response.end('file')
    })
    given.upstream.routes.set(
      `${base}/labels?page=1&per_page=100`,
      answers(
        [{ id: 1, name: 'bug', color: 'F29513', description: null }, { name: '  ' }, { name: 'odd', color: 'red' }],
        { link: '<x>; rel="first"' },
      ),
    )
    const made = await migrate(given.tom, {
      clone_addr: `${given.upstream.url}/octo/app.git`,
      repo_name: 'octo-app',
      service: 'github',
      auth_token: 't0ken',
      releases: true,
      labels: true,
    })
    expect(made.json).toMatchObject({
      description: '',
      website: 'https://octo.example',
      topics: ['one'],
      release_counter: 1,
    })
    expect((await given.tom.client.get('/repos/tom/octo-app/labels')).json).toMatchObject([
      { name: 'bug', color: 'f29513', description: '' },
      { name: 'odd', color: 'cccccc' },
    ])
    expect(made.headers.get('x-ingot-warning')).toBe(
      'a label without a name was not imported; a release was not imported: "bad name" is no name of a tag; a release was not imported: there is another one with the tag V1',
    )
    const releases = await releasesOf(given.tom, 'octo-app')
    expect(releases.find(({ tag_name }: { tag_name: string }) => tag_name === 'gone')).toMatchObject({ draft: true })
    const [first] = releases.filter(({ tag_name }: { tag_name: string }) => tag_name === 'v1')
    expect(first).toMatchObject({
      name: 'One',
      body: 'text',
      draft: false,
      created_at: '2020-01-01T00:00:00Z',
      assets: [{ name: 'file1.txt', size: 4, download_count: 7 }],
    })
    expect(await bytesOf(given.tom, first.assets[0].browser_download_url)).toBe('file')
  })

  it('read GitLab, whose files are links', async () => {
    const base = 'GET /api/v4/projects/group%2Fsub%2Fapp'
    const links = [
      {
        id: 1,
        name: 'package',
        url: 'https://files.example/p.zip',
        direct_asset_url: 'https://gitlab.example/group/sub/app/-/releases/v1/downloads/p.zip',
        link_type: 'other',
      },
      { name: 'bad', url: 'javascript:x' },
    ]
    given.upstream.routes.set(base, (request, response) => {
      expect(request.headers['private-token']).toBe('t0ken')
      answers({ description: 'Lab', topics: ['lab'] })(request, response)
    })
    given.upstream.routes.set(
      `${base}/releases?page=1&per_page=100`,
      answers(
        [
          {
            tag_name: 'v1',
            name: 'One',
            description: 'text',
            released_at: '2020-01-01T00:00:00.000Z',
            upcoming_release: false,
            assets: { count: 5, sources: [{ format: 'zip', url: 'https://gitlab.example/x.zip' }], links },
          },
        ],
        { 'x-total': '1' },
      ),
    )
    const made = await migrate(given.tom, {
      clone_addr: `${given.upstream.url}/group/sub/app.git`,
      repo_name: 'lab-app',
      service: 'gitlab',
      auth_token: 't0ken',
      releases: true,
    })
    expect(made.json).toMatchObject({ description: 'Lab', topics: ['lab'], release_counter: 1 })
    expect((await releasesOf(given.tom, 'lab-app'))[0]).toMatchObject({
      name: 'One',
      body: 'text',
      assets: [{ name: 'package', type: 'external', browser_download_url: links[0]!.direct_asset_url }],
    })
  })
})
