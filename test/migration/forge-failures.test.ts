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
      given.upstream.routes.set(
        `${path}?page=1&per_page=100`,
        answers([{ tag_name: 'v1', assets: [{ name: 'a', url: 'http://127.0.0.2:1/a' }] }], {
          link: '<x>; rel="prev"',
        }),
      )
      expect(
        (
          await eve.client.post('/repos/migrate', {
            clone_addr: `${given.upstream.url}/octo/app.git`,
            repo_name: 'x',
            service: 'github',
            releases: true,
          })
        ).json.message,
      ).toMatch(
        /^You can not import from disallowed hosts: connections to \S+ are not allowed by migrations\.allowed_hosts\.$/,
      )
    } finally {
      await strict.close()
    }
  })

  it('say what cannot be imported from the service', async () => {
    for (const [service, left] of [
      ['onedev', 'labels, issues, pull requests'],
      ['codebase', 'labels, issues, pull requests'],
      ['codecommit', 'labels, issues, pull requests'],
      ['gogs', 'pull requests'],
    ]) {
      const made = await migrate(given.tom, {
        clone_addr: `${given.upstream.url}/octo/app.git`,
        repo_name: `from-${service}`,
        service,
        labels: service !== 'gogs',
        issues: service !== 'gogs',
        pull_requests: true,
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
})
