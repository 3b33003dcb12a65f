// Imported first, and written in JavaScript that every Node understands: an older Node would print a stack
// trace at the first file that it cannot parse.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `stave: needs Node 24 or later, and this is ${process.version}: run \`bin/stave\` or \`npm start\`, which use the Node that npm installed\n`,
  );
  process.exit(1);
}
