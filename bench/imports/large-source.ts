// A made-up server with one large repository, whose pages are computed when they are requested.
// Arguments: gitea or github, the number of issues, the number of comments, a directory with bare repositories.
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import { comment, hasReaction, issue, labels, reactionsTo, type Shape, timeline } from './source-objects.ts'

const [shapeName, issues, comments, root] = process.argv.slice(2)
const shape = shapeName as Shape
const size = { issues: Number(issues), comments: Number(comments) }
const MAX_PAGE = shape === 'github' ? 100 : 50
const API = shape === 'github' ? '/api/v3' : '/api/v1'
const REPO = `${API}/repos/big/repo`

/** Requests by kind, which show the cost of an import and what a killed one reads again. */
const counts: Record<string, number> = {}

interface List {
  readonly kind: string
  readonly length: number
  at(index: number): object
}

const listOf = (kind: string, items: readonly object[]): List => ({
  kind,
  length: items.length,
  at: (index) => items[index]!,
})

function findList(path: string, url: string): List | undefined {
  if (path === '/issues') return { kind: 'issues', length: size.issues, at: (index) => issue(index + 1, shape, url) }
  if (path === '/issues/comments')
    return {
      kind: 'comments',
      length: size.comments,
      at: (index) => comment(index + 1, shape, { url, issues: size.issues }),
    }
  if (path === '/labels') return listOf('labels', labels())
  const [, of = '', id, part] = /^\/issues\/(comments\/)?(\d+)\/(reactions|timeline|dependencies)$/.exec(path) ?? []
  if (id === undefined)
    return ['/milestones', '/pulls', '/releases', '/times'].includes(path) ? listOf('others', []) : undefined
  if (part === 'timeline') return listOf('timelines', timeline(Number(id), shape, { url, size }))
  if (part === 'dependencies') return listOf('dependencies', [])
  return listOf(
    'reactions',
    hasReaction(of === '' ? 'issue' : 'comment', Number(id)) ? reactionsTo(Number(id), url) : [],
  )
}

function answerList(response: ServerResponse, asked: URL, list: List): void {
  counts[list.kind] = (counts[list.kind] ?? 0) + 1
  const page = Math.max(1, Number(asked.searchParams.get('page') ?? 1))
  const limit = Math.min(MAX_PAGE, Number(asked.searchParams.get('limit') ?? asked.searchParams.get('per_page') ?? 30))
  const from = (page - 1) * limit
  const to = Math.min(list.length, from + limit)
  const items = Array.from({ length: Math.max(0, to - from) }, (_, index) => list.at(from + index))
  const link = (number: number, rel: string): string => {
    const target = new URL(asked)
    target.searchParams.set('page', String(number))
    return `<${target.href}>; rel="${rel}"`
  }
  const links = to < list.length ? [link(page + 1, 'next'), link(Math.ceil(list.length / limit), 'last')] : []
  response.setHeader('content-type', 'application/json')
  if (links.length > 0) response.setHeader('link', links.join(', '))
  if (shape === 'gitea') response.setHeader('x-total-count', String(list.length))
  response.end(JSON.stringify(items))
}

/** The files of git's dumb protocol. */
async function answerFile(response: ServerResponse, path: string): Promise<void> {
  const content = await readFile(join(root!, normalize(path))).catch(() => undefined)
  if (content === undefined) response.writeHead(404).end('{}')
  else response.end(content)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = `http://${request.headers.host}`
  const asked = new URL(request.url!, url)
  if (asked.pathname === '/counts') return void response.end(JSON.stringify(counts))
  if (!asked.pathname.startsWith(API)) return answerFile(response, asked.pathname)
  const list = asked.pathname.startsWith(REPO) ? findList(asked.pathname.slice(REPO.length), url) : undefined
  if (list !== undefined) return answerList(response, asked, list)
  response.setHeader('content-type', 'application/json')
  if (asked.pathname === REPO) return void response.end(JSON.stringify({ id: 1, name: 'repo', description: 'Large' }))
  response.writeHead(404).end('{}')
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
