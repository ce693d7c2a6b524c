import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { compileGlob, type Matcher } from '../../../core/platform/patterns/glob.ts'
import { compileSafeRegExp } from '../../../core/platform/patterns/safe-regexp.ts'
import type { Repo } from '../../repositories/index.ts'
import { loadBranchRuleFacts } from './branches/branch-rule.store.ts'
import type { BranchRuleFacts } from './branches/branch-rules.policy.ts'
import { loadTagRuleFacts } from './tags/tag-rule.store.ts'
import { tagExpression, type TagRule } from './protections.policy.ts'

/** The user id to look up in lists; 0 for anonymous viewers and deploy keys, which no list contains. */
const listedId = (viewer: Viewer): number =>
  viewer.kind === 'user' && viewer.deployKeyId === undefined ? viewer.account.id : 0

/** The branch rules of a repository with the lists that contain the viewer; one query. */
export function loadBranchRules(db: Db, repo: Repo, viewer: Viewer): Promise<BranchRuleFacts> {
  return loadBranchRuleFacts(db, repo, listedId(viewer))
}

/** The tag protections of a repository and whether each lists the viewer; one query. */
export async function loadTagRules(db: Db, repo: Repo, viewer: Viewer): Promise<TagRule[]> {
  const rules = await loadTagRuleFacts(db, repo, listedId(viewer))
  return rules.map(({ pattern, isListed }) => {
    let compiled: Promise<Matcher> | undefined
    return { isListed, matches: async (tag) => (await (compiled ??= tagMatcher(pattern)))(tag) }
  })
}

/** NOTE: an expression that does not compile protects every tag. */
async function tagMatcher(pattern: string): Promise<Matcher> {
  const expression = tagExpression(pattern)
  return expression === undefined ? compileGlob(pattern) : ((await compileSafeRegExp(expression)) ?? (() => true))
}
