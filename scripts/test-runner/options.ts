// Reads the command line of the test runner.

export type Options = {
  /** Also the slow files. */
  all: boolean;
  verbose: boolean;
  /** Run again after every change of a source. */
  watch: boolean;
  /** Where to write a report in the format of JUnit. */
  junit: string | null;
  /** Parts of paths. Empty: every file. */
  words: string[];
  /** For node:test, such as `--test-name-pattern=retry`. */
  flags: string[];
};

/** Throws when the report has no name. */
export function readOptions(given: readonly string[]): Options {
  const options: Options = { all: false, verbose: false, watch: false, junit: null, words: [], flags: [] };
  const rest = [...given];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--all' || argument === '--verbose' || argument === '--watch')
      options[argument.slice(2) as 'all' | 'verbose' | 'watch'] = true;
    else if (argument === '--junit') options.junit = fileName(rest.shift());
    else if (argument.startsWith('--junit=')) options.junit = fileName(argument.slice('--junit='.length));
    else (argument.startsWith('--') ? options.flags : options.words).push(argument);
  }
  return options;
}

function fileName(value: string | undefined): string {
  if (!value || value.startsWith('--'))
    throw new Error('--junit needs the name of a file: --junit report.xml');
  return value;
}
