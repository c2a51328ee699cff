/** Starting the commands. */
export { compiledFile, loadProgram } from './load.ts'
