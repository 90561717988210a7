#include "app/run.h"

int main(int argc, char** argv) { return graspd::app::run({argv + 1, argv + argc}); }
