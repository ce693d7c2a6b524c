import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

/**
 * Which token scopes a path asks for, all of them; the first pattern that fits counts
 * (behaviour/auth-and-access#scopes).
 */
const TABLE: readonly (readonly [pattern: RegExp, scopes: readonly string[]])[] = [
  [
    /^\/(version|signing-key\.|settings\/|gitignore\/|licenses|label\/templates|markdown|markup|swagger|nodeinfo|token$|actions\/run$)/,
    [],
  ],
  [/^\/activitypub\//, ['activitypub']],
  [/^\/user\/projects\/\{id:int\}\/.*issues/, ['issue', 'user']],
  [/^\/orgs\/\{org\}\/projects\/\{id:int\}\/.*issues/, ['issue', 'organization']],
  [/^\/repos\/\{owner\}\/\{repo\}\/projects\/\{id:int\}\/.*issues/, ['issue', 'repository']],
  [/^\/repos\/\{owner\}\/\{repo\}\/flags/, ['admin', 'repository']],
  [/^\/admin\//, ['admin']],
  [/^\/notifications|^\/repos\/\{owner\}\/\{repo\}\/notifications/, ['notification']],
  [/^\/user\/repos$|^\/user\/starred|^\/users\/\{username\}\/repos$/, ['repository', 'user']],
  [/^\/user\/orgs$|^\/users\/\{username\}\/orgs/, ['organization', 'user']],
  [/^\/users?(\/|$)/, ['user']],
  [/^\/org\/\{org\}\/repos$/, ['organization', 'repository']],
  [/^\/(orgs|teams)(\/|$)/, ['organization']],
  [
    /^\/repos\/issues\/search$|^\/repos\/issues$|^\/repos\/\{owner\}\/\{repo\}\/(issues|labels|milestones)(\/|$)/,
    ['issue'],
  ],
  [/^\/(repos|repositories|topics)(\/|$)|^\/\{owner\}\/\{repo\}\/issue_templates$/, ['repository']],
  [/^\/packages(\/|$)/, ['package']],
]

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it('every operation asks for the scopes of the table', () => {
  const paths = server.app.operations.flatMap(({ method, path, aliases, scopes }) =>
    [path, ...aliases].map((name) => ({ method, path: name, scopes })),
  )
  const wrong = paths.flatMap(({ method, path, scopes }) => {
    const wanted = TABLE.find(([pattern]) => pattern.test(path))?.[1]
    const same = wanted?.join() === [...scopes].toSorted().join()
    return same
      ? []
      : [`${method} ${path}: has ${scopes.join() || 'none'}, the table says ${wanted?.join() ?? 'nothing'}`]
  })
  expect(wrong).toEqual([])
})
