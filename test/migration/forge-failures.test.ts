import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startServer } from '../harness/server.ts'
import { answers, documentedForge } from './forge-world.ts'
import { migrate } from './import-world.ts'

describe('imports from a forge that fails', () => {
  const given = documentedForge()

  it('do not follow an API to a host or protocol that is not allowed', async () => {
    const strict = await startServer({ settings: { 'migrations.allowed_hosts': '127.0.0.1' } })
    try {
      const eve = await strict.world.user('eve')
      const path = 'GET /api/v3/repos/octo/app/releases'
      for (const to of ['http://127.0.0.2:1/x', 'file:///etc/passwd']) {
        given.upstream.routes.set(
          `${path}?page=1&per_page=100`,
          (_, response) => void response.writeHead(302, { location: to }).end(),
        )
        expect(
          (
            await eve.client.post('/repos/migrate', {
              clone_addr: `${given.upstream.url}/octo/app.git`,
              repo_name: 'x',
              service: 'github',
              releases: true,
            })
          ).status,
        ).toBe(422)
      }
    } finally {
      await strict.close()
    }
  })

  it.each([
    ['an address that is not of HTTP', 'file:///etc/passwd', ''],
    ['a host that does not respond', 'http://127.0.0.1:1/a', 'ECONNREFUSED'],
    ['the service, which lacks it', '/gone', 'the API of the other server answered with status 404'],
    ['the service, which fails for it', '/broken', 'the API of the other server answered with status 500'],
  ])('leave out a file of a release with a warning: from %s', async (_, url, reason) => {
    const address = url.startsWith('/') ? `${given.upstream.url}${url}` : url
    given.upstream.routes.set('GET /broken', (_request, response) => void response.writeHead(500).end())
    serveFile(address)
    const answer = await migrateFile(`left-${url.replaceAll(/\W+/g, '-')}`)
    expect([answer.status, answer.json.message]).toEqual([201, undefined])
    const warning = answer.headers.get('x-ingot-warning')!
    expect(warning).toContain(`the file "a.txt" of the release v1 was not imported: ${reason}`)
    expect((await given.tom.client.get(`/repos/tom/${answer.json.name}/releases`)).json).toMatchObject([
      { tag_name: 'v1', assets: [] },
    ])
  })

  it('end if the service stops answering, or refuses the token, while a file is fetched', async () => {
    for (const [status, message] of [
      [503, 'Migration failed: the API of the other server answered with status 503.'],
      [401, 'Authentication failed: the API of the other server answered with status 401.'],
    ] as const) {
      const facts = 'GET /api/v3/repos/octo/app'
      serveFile(`${given.upstream.url}/file`)
      given.upstream.routes.set('GET /file', (_, response) => {
        given.upstream.routes.set(facts, (_request, answer) => void answer.writeHead(status).end())
        response.writeHead(status).end()
      })
      const answer = await migrateFile('ended')
      expect([answer.status, answer.json.message]).toEqual([422, message])
      expect((await given.tom.client.get('/repos/tom/ended')).status).toBe(404)
    }
  })

  it('end if the service no longer shows the repository to the token', async () => {
    const path = 'GET /api/v3/repos/octo/app'
    const hidden = new Set([`${path}/releases`, path])
    given.upstream.routes.set(path, answers({ description: 'd' }))
    given.upstream.routes.set(`${path}/labels`, (request, response) => {
      for (const each of hidden) given.upstream.routes.set(each, (_, answer) => void answer.writeHead(404).end('{}'))
      answers([{ name: 'bug', color: 'ff0000' }])(request, response)
    })
    const answer = await migrate(given.tom, {
      clone_addr: `${given.upstream.url}/octo/app.git`,
      repo_name: 'hidden',
      service: 'github',
      labels: true,
      releases: true,
    })
    expect([answer.status, answer.json.message]).toEqual([
      422,
      expect.stringMatching(/^Authentication failed: .*404\.$/),
    ])
    expect((await given.tom.client.get('/repos/tom/hidden')).status).toBe(404)
  })

  function serveFile(url: string): void {
    given.upstream.routes.set('GET /api/v3/repos/octo/app', answers({ description: 'd' }))
    given.upstream.routes.set(
      'GET /api/v3/repos/octo/app/releases?page=1&per_page=100',
      answers([{ tag_name: 'v1', assets: [{ name: 'a.txt', url }] }]),
    )
  }
  const migrateFile = (name: string) =>
    migrate(given.tom, {
      clone_addr: `${given.upstream.url}/octo/app.git`,
      repo_name: name,
      service: 'github',
      releases: true,
    })

  it('say what cannot be imported from the service', async () => {
    for (const [service, left] of [
      ['codecommit', 'labels, issues'],
      ['gogs', 'pull requests'],
    ]) {
      const made = await migrate(given.tom, {
        clone_addr: `${given.upstream.url}/octo/app.git`,
        repo_name: `from-${service}`,
        service,
        labels: service !== 'gogs',
        issues: service !== 'gogs',
        pull_requests: service === 'gogs',
      })
      expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([
        201,
        expect.stringContaining(`not imported, because this server cannot import them from ${service}: ${left}`),
      ])
    }
  })

  it('explain rate limits, one-time passwords and malformed answers', async () => {
    const path = 'GET /api/v3/repos/octo/app/releases?page=1&per_page=100'
    const cases: [(request: IncomingMessage, response: ServerResponse) => void, string][] = [
      [
        (_, response) => void response.writeHead(403, { 'x-ratelimit-remaining': '0' }).end('{}'),
        'Remote visit addressed rate limitation.',
      ],
      [
        (_, response) => void response.writeHead(401, { 'x-github-otp': 'required; app' }).end('{}'),
        'Remote visit required two factors authentication.',
      ],
      [
        (_, response) => void response.writeHead(500).end(),
        'Migration failed: the API of the other server answered with status 500.',
      ],
      [(_, response) => void response.end('<html>'), 'Migration failed: the other server did not answer with JSON.'],
    ]
    for (const [answer, message] of cases) {
      given.upstream.routes.set('GET /api/v3/repos/octo/app', answers({ description: 'd' }))
      given.upstream.routes.set(path, answer)
      const failed = await migrate(given.tom, {
        clone_addr: `${given.upstream.url}/octo/app.git`,
        repo_name: 'failing',
        service: 'github',
        releases: true,
      })
      expect(failed.status).toBe(422)
      expect(failed.json.message).toBe(message)
    }
    expect((await given.tom.client.get('/repos/tom/failing')).status).toBe(404)
    given.upstream.routes.clear()
    const without = await migrate(given.tom, {
      clone_addr: `${given.upstream.url}/octo/app.git`,
      repo_name: 'failing',
      service: 'github',
    })
    expect([without.status, without.headers.get('x-ingot-warning')]).toEqual([
      201,
      'description, website and topics were not imported: the API of the other server answered with status 404',
    ])
  })

  it.each([
    ['github', '/api/v3'],
    ['gitea', '/api/v1'],
  ])('import nothing of a repository that the API of %s does not show, and report it', async (service, api) => {
    const issues = { clone_addr: `${given.upstream.url}/octo/app.git`, repo_name: 'hidden', service, issues: true }
    for (const status of [401, 403, 404]) {
      const route = `GET ${api}/repos/octo/app`
      given.upstream.routes.set(route, (_, response) => void response.writeHead(status).end())
      const failed = await migrate(given.tom, issues)
      expect([failed.status, failed.json.message]).toEqual([
        422,
        `Authentication failed: the API of the other server answered with status ${status}.`,
      ])
      expect((await given.tom.client.get('/repos/tom/hidden')).status).toBe(404)
    }
  })

  it('are complete where Gitea has turned off labels, milestones or releases', async () => {
    given.upstream.routes.set('GET /api/v1/repos/octo/app', answers({ description: 'd' }))
    const made = await migrate(given.tom, {
      clone_addr: `${given.upstream.url}/octo/app.git`,
      repo_name: 'units',
      service: 'gitea',
      labels: true,
      milestones: true,
      releases: true,
    })
    expect([made.status, made.headers.get('x-ingot-warning'), made.json.description]).toEqual([201, null, 'd'])
  })
})
