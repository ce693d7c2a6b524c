/** The Markdown text that a step of a task wrote for the page of its run. */
export interface ActionSummaryTable {
  task_id: number
  /** The number of the step, counted from 0. */
  step: number
  text: string
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    action_summary: ActionSummaryTable
  }
}
