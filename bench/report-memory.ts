/** Loaded before a program: prints the peak memory of its process. */
process.on('exit', () => {
  const mebibytes = process.resourceUsage().maxRSS / 1024;
  console.log(`Peak memory ${(mebibytes / 1024).toFixed(2)} GiB.`);
});
