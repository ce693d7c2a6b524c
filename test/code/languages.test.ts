import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/platform/clock.ts'
import { renderLicense } from '../../src/domains/repositories/templates/templates.ts'
import { codeRepo, oracle } from './code-world.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const stream = (files: Readonly<Record<string, string>>, from = ''): string =>
  `commit refs/heads/main\ncommitter T <t@example.test> 1700000000 +0000\ndata 2\nc\n${from}${Object.entries(files)
    .map(([path, text]) => `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
    .join('')}\n`

describe('languages', () => {
  let server: TestServer
  let ann: Person
  let late = 0

  beforeAll(async () => {
    server = await startServer({ clock: { ...systemClock, now: () => Date.now() + late } })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  /** Runs jobs that are due later. */
  const later = async (): Promise<void> => {
    await server.drain()
    late += 60_000
    await server.drain()
  }

  it('are hidden with the code', async () => {
    await server.world.repo({ owner: ann, name: 'hidden', isPrivate: true })
    expect((await server.anonymous.get('/repos/ann/hidden/languages')).status).toBe(404)
    expect((await ann.client.get('/repos/ann/hidden/languages')).json).toEqual({})
  })

  it('come with the licences in the root directory', async () => {
    const mit = renderLicense('MIT', { year: 2026, owner: 'Ann', repo: 'x' })
    const { path } = await codeRepo(server, ann, {
      name: 'free',
      history: stream({
        LICENSE: mit,
        'docs/COPYING': renderLicense('Apache-2.0', { year: 1, owner: 'x', repo: 'x' }),
        'LICENSE.other': 'all mine',
      }),
    })
    await later()
    expect((await server.anonymous.get(`${path}/licenses`)).json).toEqual(['MIT'])
    expect((await server.anonymous.get(path)).json.licenses).toEqual(['MIT'])
    await ann.client.post('/user/repos', { name: 'meant', license: 'MIT' })
    await ann.client.patch('/repos/ann/meant', { default_branch: 'trunk' })
    await later()
    expect((await server.anonymous.get('/repos/ann/meant/licenses')).json).toEqual(['MIT'])
  })

  it('are counted after pushes by name, content and attributes, without vendored files', async () => {
    const files = {
      'main.go': 'package main\n'.repeat(20),
      'lib/one.h': 'class A { public: virtual int f(); };\n',
      run: '#!/usr/bin/env -S python3 -u\nprint(1)\n',
      'README.md': '# much text\n'.repeat(100),
      'vendor/jquery.js': 'x\n'.repeat(500),
      'made.js': 'y\n'.repeat(500),
      'page.tmpl': 'z\n',
      '.gitattributes': 'made.js linguist-generated\n*.tmpl linguist-language=HTML\n',
    }
    const { repo, git, path } = await codeRepo(server, ann, { name: 'code', history: stream(files) })
    await later()
    const counted = { Go: 260, Python: files.run.length, 'C++': files['lib/one.h'].length, HTML: 2 }
    const answer = await server.anonymous.get(`${path}/languages`)
    expect(answer.json).toEqual(counted)
    expect(Object.keys(answer.json)).toEqual(['Go', 'C++', 'Python', 'HTML'])
    expect((await server.anonymous.get(path)).json.language).toBe('Go')
    const bob = await server.world.user('bob')
    const fork = await bob.client.post(`${path}/forks`, {})
    expect([fork.json.language, (await bob.client.get('/repos/bob/code/languages')).json]).toEqual(['Go', counted])
    oracle(
      git.path,
      ['fast-import', '--quiet'],
      stream({ 'more.rs': 'fn main() {}\n'.repeat(100) }, 'from refs/heads/main^0\n'),
    )
    await server.app.pushes.reconcile(repo.id)
    await later()
    const now = await server.anonymous.get(path)
    expect([now.json.language, now.json.size > 0]).toEqual(['Rust', true])
    expect(Object.keys((await server.anonymous.get(`${path}/languages`)).json)[0]).toBe('Rust')
  })
})
