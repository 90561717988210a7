// The parts of Asio and Beast that are no templates, compiled once here instead of in every file
// that includes them (cmake/Dependencies.cmake says so to their headers).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
