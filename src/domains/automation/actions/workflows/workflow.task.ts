import { readWorkflow, type Workflow } from './workflow.policy.ts'
import { yaml } from '../../../code/index.ts'

/** Parses the text of a workflow file; undefined for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (text: string): Workflow | undefined => {
    const parsed = yaml.parse(text)
    return parsed === yaml.none ? undefined : readWorkflow(parsed)
  }
