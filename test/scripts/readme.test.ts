import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import { type Folder, serveHere, temporaryFolder } from '../harness/process.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const run = promisify(execFile)

const IDENTITY = {
  GIT_AUTHOR_NAME: 'alice',
  GIT_AUTHOR_EMAIL: 'alice@example.org',
  GIT_COMMITTER_NAME: 'alice',
  GIT_COMMITTER_EMAIL: 'alice@example.org',
}

let folder: Folder
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

/** The indented commands of each paragraph below a heading. */
const blocksOf = (heading: string): string[] => {
  const section = new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## )`, 'm').exec(readme)![1]!
  return [...section.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replaceAll(/^ {4}/gm, ''))
}

describe('the README', () => {
  it('has at most 600 words', () => {
    expect(readme.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(600)
  })

  it('leads to every document, and every link of a document to a file', () => {
    const files = globSync(['*.md', 'docs/**/*.md', 'deploy/*.md'], { cwd: ROOT })
    const linksOf = (file: string): string[] =>
      [
        ...readFileSync(join(ROOT, file), 'utf8')
          .replaceAll(/`[^`\n]+`/g, '')
          .matchAll(/\]\(([^)\s:#]+)(?:#[^)]*)?\)/g),
      ].map(([, link]) => normalize(join(dirname(file), link!)))
    for (const file of files)
      for (const link of linksOf(file)) expect([file, link, existsSync(join(ROOT, link))]).toEqual([file, link, true])
    const reached = new Set(['README.md'])
    for (const file of reached) for (const link of file.endsWith('.md') ? linksOf(file) : []) reached.add(link)
    expect(files.filter((file) => !reached.has(file))).toEqual([])
  })

  it('has commands that make the first push', async () => {
    const server = await serveHere(join(folder.path, 'data'))
    try {
      let token = ''
      const shell = async (commands: string): Promise<string> => {
        const script = commands
          .replaceAll('http://127.0.0.1:3000', server.url)
          .replaceAll('alice@127.0.0.1:3000', `alice:a-good-password@${new URL(server.url).host}`)
          .replace('admin:PASSWORD', `admin:${server.password}`)
          .replace('token TOKEN', `token ${token}`)
        const env = { ...process.env, ...GIT_ENV, ...IDENTITY, INGOT: server.url }
        return (await run('bash', ['-euc', script], { cwd: folder.path, env })).stdout
      }
      const [account, newToken, repo, push] = blocksOf('Five minutes') as [string, string, string, string]
      expect(JSON.parse(await shell(account))).toMatchObject({ login: 'alice' })
      token = JSON.parse(await shell(newToken)).sha1
      expect(JSON.parse(await shell(repo))).toMatchObject({ full_name: 'alice/hello' })
      await shell(push)
      for (const path of ['/alice/hello/src/branch/main/README.md', '/api/swagger', '/openapi.json'])
        expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200])
    } finally {
      await server.stop()
    }
  })
})
