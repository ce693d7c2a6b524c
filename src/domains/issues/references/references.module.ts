import { defineModule } from '../../../core/module.ts'
import { commitReferenceJobs, commitReferenceSubscriptions } from './commits/commit-references.jobs.ts'
import type { ReferenceGrammar } from './parsing/parse-references.ts'
import { referenceEvents } from './references.events.ts'
import { textProjections } from './texts/text.projection.ts'
import { createTextReferences, type TextReferences } from './texts/write-references.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly textReferences: TextReferences
  }
}

/** References in texts: entries in the timelines of other issues, keywords of commits, mentions. */
export const module = defineModule({
  name: 'references',
  needs: ['issueNotices', 'issueStateRules', 'issueTimeBookings'],
  create(
    { config, database, git, clock, events, jobs, site },
    { issueNotices: notices, issueStateRules: stateRules, issueTimeBookings: timeBookings },
  ) {
    const { close_keywords, reopen_keywords, close_from_any_branch: anyBranch } = config.issue
    const [closeKeywords, reopenKeywords] = [lowerCased(close_keywords), lowerCased(reopen_keywords)]
    const grammar = (): ReferenceGrammar => ({ rootUrl: site.rootUrl(), closeKeywords, reopenKeywords })
    return {
      services: { textReferences: createTextReferences({ clock, events, notices, grammar }) },
      events: referenceEvents,
      projections: textProjections({ clock, events, notices, grammar }),
      subscriptions: commitReferenceSubscriptions(jobs),
      jobs: commitReferenceJobs({ database, git, clock, events, stateRules, timeBookings, anyBranch, grammar }),
    }
  },
})

const lowerCased = (words: readonly string[]): ReadonlySet<string> => new Set(words.map((word) => word.toLowerCase()))
