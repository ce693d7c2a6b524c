import { defineSubject } from '../subject.ts'
import { commitReferenceJobs, commitReferenceSubscriptions } from './commits/commit-references.jobs.ts'
import { issueReferenceProjections } from './issues/issue-references.projection.ts'
import type { ReferenceGrammar } from './parsing/parse-references.ts'

/** What texts refer to: entries in the timelines of other issues, keywords of commits. */
export const subject = defineSubject({
  name: 'references',
  needs: ['issueStateRules'],
  create({ config, database, git, clock, events, jobs, site }, { issueStateRules: stateRules }) {
    const { close_keywords, reopen_keywords, close_from_any_branch: anyBranch } = config.issue
    const [closeKeywords, reopenKeywords] = [lowerCased(close_keywords), lowerCased(reopen_keywords)]
    const grammar = (): ReferenceGrammar => ({ rootUrl: site.rootUrl(), closeKeywords, reopenKeywords })
    return {
      projections: issueReferenceProjections({ clock, grammar }),
      subscriptions: commitReferenceSubscriptions(jobs),
      jobs: commitReferenceJobs({ database, git, clock, events, stateRules, anyBranch, grammar }),
    }
  },
})

const lowerCased = (words: readonly string[]): ReadonlySet<string> => new Set(words.map((word) => word.toLowerCase()))
