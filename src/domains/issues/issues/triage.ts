import type { Operation } from '../../../core/http/operation.ts'
import type { Core, Guards } from '../../../core/module.ts'
import type { StateRules } from './changes/issue-change.ts'
import { dependencyOperations } from './dependencies/dependencies.operations.ts'
import { createDependencies, dependencyRule } from './dependencies/dependencies.service.ts'
import type { Issues } from './issues.service.ts'
import { issueLabelOperations } from './labels/issue-labels.operations.ts'
import { createIssueLabels } from './labels/issue-labels.service.ts'
import { pinOperations } from './pins/pins.operations.ts'
import { transferOperations } from './transfer/transfer.operations.ts'
import { createPins } from './pins/pins.service.ts'

interface TriageInput {
  readonly issues: Issues
  readonly stateRules: StateRules
  readonly guards: Pick<Guards, 'issue' | 'repo'>
}

/** Operations of labels, dependencies and pins of issues; registers the rule that dependencies forbid closing. */
export function triageOperations(core: Core, { issues, stateRules, guards }: TriageInput): Operation[] {
  const { config, database, clock, events, site } = core
  const deps = { database, clock, events }
  const acrossRepositories = config.issue.allow_cross_repository_dependencies
  stateRules.register(dependencyRule)
  return [
    ...issueLabelOperations({ guards, issueLabels: createIssueLabels(deps), site }),
    ...dependencyOperations({
      guards,
      issues,
      dependencies: createDependencies({ ...deps, rules: { acrossRepositories } }),
      site,
    }),
    ...transferOperations({ guards, issues, deps, site }),
    ...pinOperations({ guards, pins: createPins({ ...deps, limit: config.issue.max_pinned }), site }),
  ]
}
