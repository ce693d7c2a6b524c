import type { IssueChange } from './issue-change.ts'

/** Throws Precondition when the issue may not get the state, such as an open one that it depends on. */
export type StateRule = (change: IssueChange, state: 'open' | 'closed') => Promise<void>

/** Port for modules and folders that forbid states: dependencies, merged pull requests. */
export interface StateRules {
  /** While the server is composed. */
  register(rule: StateRule): void
  /** Throws Precondition. */
  requireAllowed: StateRule
}

export function createStateRules(): StateRules {
  const rules: StateRule[] = []
  return {
    register: (rule) => void rules.push(rule),
    async requireAllowed(change, state) {
      for (const rule of rules) await rule(change, state)
    },
  }
}
