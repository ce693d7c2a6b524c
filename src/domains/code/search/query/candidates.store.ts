import { type Expression, sql, type SqlBool } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { readsUnit, visibleRepos } from '../../../../core/access/visible-repos.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { DatabaseDialect } from '../../../../core/db/dialect/dialect.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { CodeQuery } from './code-query.ts'

interface RepoName {
  readonly id: RepoId
  readonly owner: string
  readonly name: string
  readonly fullName: string
}

/** A file whose text may match. */
export interface Candidate {
  readonly repo: RepoName
  readonly branch: string
  readonly path: string
  readonly oid: string
  readonly language: string
  readonly textId: number
  /** Files of the repository are being indexed. */
  readonly isChanging: boolean
  /** Bytes of the text. */
  readonly size: number
}

/** One repository whose code the viewer may read, or all of which it may. */
export type SearchScope = { readonly repoId: RepoId } | { readonly viewer: Viewer }

interface CandidateSearch {
  readonly query: Omit<CodeQuery, 'pattern'>
  readonly scope: SearchScope
  readonly dialect: DatabaseDialect['name']
  readonly limit: number
}

/**
 * The files whose text contains the trigrams of all literals, in no order. NOTE: the cross joins make SQLite begin with
 * the index of trigrams.
 */
export async function listCandidates(db: Db, { query, scope, dialect, limit }: CandidateSearch): Promise<Candidate[]> {
  const grams = dialect === 'sqlite' ? gramsOf(query.literals) : []
  const from = db.selectFrom('code_file')
  const files =
    grams.length === 0 ? from : (db.selectFrom('code_text').crossJoin('code_file') as unknown as typeof from)
  let found = files
    .crossJoin('repo')
    .crossJoin('user as owner')
    .crossJoin('code_repo')
    .crossJoin('code_blob')
    .whereRef('repo.id', '=', 'code_file.repo_id')
    .whereRef('owner.id', '=', 'repo.owner_id')
    .whereRef('code_repo.repo_id', '=', 'repo.id')
    .whereRef('code_blob.id', '=', 'code_file.blob_id')
  if (grams.length > 0)
    found = found.where(sql<SqlBool>`code_text match ${grams.join(' AND ')} and code_file.blob_id = code_text.rowid`)
  if (dialect === 'postgres')
    for (const literal of query.literals.filter(hasWord))
      found = found.where(like('code_blob.text', `%${escapePattern(literal)}%`, dialect))
  if ('repoId' in scope) found = found.where('repo.id', '=', scope.repoId)
  else found = found.where((eb) => visibleRepos(scope.viewer)(eb as never)).where(readsUnit(scope.viewer, 'repo.code'))
  for (const path of query.paths) found = found.where(inPath(path, dialect))
  if (query.languages.length > 0)
    found = found.where(
      sql<string>`lower(code_file.language)`,
      'in',
      query.languages.map((name) => name.toLowerCase()),
    )
  if (query.repos.length > 0) found = found.where((eb) => eb.or(query.repos.map((name) => isNamed(name))))
  const rows = await found
    .select(['code_file.repo_id', 'code_repo.branch', 'code_file.path', 'code_file.oid', 'code_file.language'])
    .select([
      'code_blob.id as text_id',
      'code_blob.size',
      'repo.name',
      'owner.name as owner',
      'code_repo.oid as commit',
    ])
    .limit(limit)
    .execute()
  return rows.map(({ repo_id, name, owner, text_id, commit, ...row }) => ({
    ...row,
    repo: { id: repo_id as RepoId, owner, name, fullName: `${owner}/${name}` },
    textId: text_id,
    isChanging: commit === '',
  }))
}

const GRAM = 3
const MAX_GRAMS = 40

/** Quoted trigrams of the literals of three characters and more. */
function gramsOf(literals: readonly string[]): string[] {
  const grams = literals.flatMap((literal) => {
    const characters = [...literal]
    return Array.from({ length: Math.max(0, characters.length - GRAM + 1) }, (_, at) =>
      characters.slice(at, at + GRAM).join(''),
    )
  })
  return [...new Set(grams)].slice(0, MAX_GRAMS).map((gram) => `"${gram.replaceAll('"', '""')}"`)
}

/** NOTE: pg_trgm indexes letters and digits alone; without three in a row it would read all texts. */
const hasWord = (literal: string): boolean => /[\p{L}\p{N}]{3}/u.test(literal)

/** NOTE: the collation "default" lowers letters beyond ASCII too; that of the columns does not. */
const like = (column: string, pattern: string, dialect: DatabaseDialect['name']): Expression<SqlBool> =>
  dialect === 'sqlite'
    ? sql<SqlBool>`${sql.ref(column)} like ${pattern} escape ${'\\'}`
    : sql<SqlBool>`${sql.ref(column)} collate "default" ilike ${pattern} escape ${'\\'}`

const escapePattern = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

const inPath = (path: string, dialect: DatabaseDialect['name']): Expression<SqlBool> =>
  like('code_file.path', `${path.startsWith('/') ? escapePattern(path.slice(1)) : `%${escapePattern(path)}`}%`, dialect)

/** `owner/name`, or the name alone. */
function isNamed(fullName: string): Expression<SqlBool> {
  const [owner, name] = fullName.toLowerCase().split('/', 2)
  return name === undefined
    ? sql<SqlBool>`repo.lower_name = ${owner}`
    : sql<SqlBool>`(owner.lower_name = ${owner} and repo.lower_name = ${name})`
}

export interface StoredText {
  readonly id: number
  /** May be compressed. */
  readonly text: string | Uint8Array
}

/** The texts in the order of the ids; without those that have been deleted since. */
export async function loadTexts(db: Db, ids: readonly number[]): Promise<StoredText[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('code_blob').select(['id', 'text']).where('id', 'in', ids).execute()
  const texts = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => texts.get(id) ?? [])
}
